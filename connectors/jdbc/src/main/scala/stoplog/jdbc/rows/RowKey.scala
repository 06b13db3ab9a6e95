// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rows

import stoplog.jdbc.types.ColumnType

/** What identifies a row of upserts, by indices of columns.
  *
  * @param columns  the key columns
  * @param version  the column whose greater value wins; without a version, the later row wins
  * @param unsorted the key columns in which the database may consider values equal that only it can compare
  */
private[jdbc] final case class RowKey(
    columns: Vector[Int],
    version: Option[Int],
    unsorted: Set[Int] = Set.empty
) {

  /** Returns the winner of two rows with the same key. The winner keeps the other row, as a chain. */
  def winner(earlier: JdbcRow, later: JdbcRow): JdbcRow =
    if (version.forall(i => KeyOrder.values(later.values(i), earlier.values(i)) > 0)) later.after(earlier)
    else
      earlier.earlier match {
        case None        => earlier.after(later)
        case Some(third) => earlier.after(winner(third, later))
      }
}

private[jdbc] object RowKey {

  /** @param table the columns of the rows */
  def of(table: IndexedSeq[Column], columns: Vector[Int], version: Option[Int]): RowKey =
    RowKey(columns, version, columns.filter(i => ColumnType.hasSeveralTexts(table(i).declared)).toSet)
}
