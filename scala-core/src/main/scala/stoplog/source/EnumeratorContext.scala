// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** The initial state of an enumerator.
  *
  * @param restored the newest [[SplitEnumerator.snapshot]] that was written down; none for a source that starts anew
  * @param assigned the splits that micro-batches have taken so far, from the one with this number on
  * @param state    a directory of the enumerator's own, for state that is too large for a snapshot
  */
final case class EnumeratorContext[S](
    restored: Option[Array[Byte]],
    assigned: Long => Iterator[S],
    state: StateFiles
) {

  /** Whether this is a batch query, which reads all there is once and keeps no state. */
  def isOnce: Boolean = state == StateFiles.None
}
