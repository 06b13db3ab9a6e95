// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** A piece of a source's data: what one reader reads from its first record to its last.
  *
  * Immutable, and complete: whoever has the split, its source and nothing else reads the same records, today and after
  * any number of restarts.
  */
trait Split {

  /** The split's name in messages and logs: a file and its bytes, a table and its keys. */
  def describe: String

  /** The split's size, counted against the limits of a micro-batch. */
  def size: SplitSize
}

/** How much there is to read, as far as it is known without reading it.
  *
  * @param bytes   as they lie on the storage; 0 if the source does not count in bytes
  * @param records none where only reading can tell
  */
final case class SplitSize(bytes: Long, records: Option[Long])
