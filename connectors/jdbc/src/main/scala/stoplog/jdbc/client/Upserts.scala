// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

/** Statements that insert or update rows. If all columns are keys, an existing row is not updated. */
private[jdbc] object Upserts {

  def onConflict(table: String, columns: Seq[String], keys: Seq[String]): Statement =
    Statement(s"${insert(table, columns)} ${conflict(columns, keys)}", columns.indices)

  /** Returns the clause after an insert of any rows. */
  def conflict(columns: Seq[String], keys: Seq[String]): String = {
    val act = others(columns, keys) match {
      case Seq()  => "NOTHING"
      case update => s"UPDATE SET ${update.map(name => s"$name = EXCLUDED.$name").mkString(", ")}"
    }
    s"ON CONFLICT (${keys.mkString(", ")}) DO $act"
  }

  def onDuplicateKey(table: String, columns: Seq[String], keys: Seq[String]): Statement = {
    val update = others(columns, keys) match {
      case Seq()   => Seq(s"${keys.head} = ${keys.head}")
      case changed => changed.map(name => s"$name = VALUES($name)")
    }
    Statement(
      s"${insert(table, columns)} ON DUPLICATE KEY UPDATE ${update.mkString(", ")}",
      columns.indices
    )
  }

  /** Uses a parameter at each place of a value, because such a parameter has the column's type.
    *
    * @param one a table with a single row
    */
  def merge(
      table: String,
      one: String,
      columns: Seq[String],
      keys: Seq[String],
      alias: String = "stoplog_s"
  ): Statement = {
    val update  = others(columns, keys)
    val matches = keys.map(key => s"stoplog_t.$key = ?").mkString(" AND ")
    val change  =
      if (update.isEmpty) ""
      else s" WHEN MATCHED THEN UPDATE SET ${update.map(name => s"$name = ?").mkString(", ")}"
    Statement(
      s"MERGE INTO $table AS stoplog_t USING $one AS $alias ON $matches$change" +
        s" WHEN NOT MATCHED THEN INSERT (${columns.mkString(", ")}) VALUES (${marks(columns)})",
      keys.map(columns.indexOf(_)) ++ update.map(columns.indexOf(_)) ++ columns.indices
    )
  }

  def insertion(table: String, columns: Seq[String]): Statement =
    Statement(insert(table, columns), columns.indices)

  def insert(table: String, columns: Seq[String]): String =
    s"INSERT INTO $table (${columns.mkString(", ")}) VALUES (${marks(columns)})"

  def marks(values: Iterable[Any]): String = values.map(_ => "?").mkString(", ")

  private def others(columns: Seq[String], keys: Seq[String]): Seq[String] = columns.filterNot(keys.contains)
}
