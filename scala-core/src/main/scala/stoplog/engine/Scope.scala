// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

/** The existing rows that a job replaces. */
private[stoplog] sealed trait Scope
private[stoplog] object Scope {
  case object Whole extends Scope

  /** All rows of each partition to which the job writes a row. A job without rows replaces nothing. */
  case object Dynamic extends Scope

  /** The rows of all partitions that satisfy the condition. The job may write only rows of such partitions. A
    * job without rows deletes.
    */
  final case class Where(condition: Condition) extends Scope
}
