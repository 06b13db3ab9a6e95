// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** Finds missing records of a log. Pure: inspects sequence numbers in ascending order. */
private[log] object LogGap {

  /** Returns the index of the first record of the dense end. Records before a gap are not part of the log. */
  def startOfDense(there: Vector[Long]): Int =
    there.zip(there.drop(1)).lastIndexWhere { case (record, next) => next != record + 1 } + 1

  /** Returns the newest missing record that cannot have been trimmed.
    *
    * @param kept the minimum number of records kept by a trim
    */
  def missing(there: Vector[Long], kept: Int): Option[Long] = {
    val dense = there.drop(startOfDense(there))
    dense.headOption.filter(_ > 0 && dense.sizeIs < kept).map(_ - 1)
  }
}
