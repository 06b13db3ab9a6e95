// SPDX-License-Identifier: Apache-2.0
package stoplog.part

/** The names of finished parts: `<prefix>-<uid>-<n><suffix>`.
  *
  * The uid is that of the run that opened the part and the number is given out by the log, so no name is ever made
  * twice, whatever Spark counts anew after a restart.
  */
final case class PartNaming(prefix: String, suffix: String) {
  def name(run: RunId, number: Long): String = s"$prefix-${run.uid}-$number$suffix"

  /** The name of a part that a merge has written: `<prefix>-<uid>-m<n><suffix>`, counted by the run itself. */
  def merged(run: RunId, number: Long): String = s"$prefix-${run.uid}-m$number$suffix"
}
