// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** Finds records that a log lacks. Pure: it looks at the places of records, in ascending order. */
private[log] object LogGap {

  /** The index of the first record of the dense end of a log. What lies before a gap is not part of the log. */
  def startOfDense(there: Vector[Long]): Int =
    there.zip(there.drop(1)).lastIndexWhere { case (record, next) => next != record + 1 } + 1

  /** The newest record that is missing and cannot have been trimmed.
    *
    * @param kept the least number of records that a trim leaves
    */
  def missing(there: Vector[Long], kept: Int): Option[Long] = {
    val dense = there.drop(startOfDense(there))
    dense.headOption.filter(_ > 0 && dense.sizeIs < kept).map(_ - 1)
  }
}
