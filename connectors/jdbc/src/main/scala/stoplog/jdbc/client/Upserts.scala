// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

/** Statements that insert or update rows. If all columns are keys, an existing row is not updated. */
private[jdbc] object Upserts {

  def onConflict(table: String, columns: Seq[String], key: UpsertKey): Statement =
    Statement(s"${insert(aliased(table, key), columns)} ${conflict(columns, key)}", columns.indices)

  /** Returns the table with the alias that [[conflict]] uses. */
  def aliased(table: String, key: UpsertKey): String =
    if (key.version.isEmpty) table else s"$table AS stoplog_t"

  /** Returns the clause after an insert of any rows. */
  def conflict(columns: Seq[String], key: UpsertKey): String = {
    val act = others(columns, key) match {
      case Seq()  => "NOTHING"
      case update =>
        val newer = key.version.fold("")(v => s" WHERE stoplog_t.$v IS NULL OR EXCLUDED.$v > stoplog_t.$v")
        s"UPDATE SET ${update.map(name => s"$name = EXCLUDED.$name").mkString(", ")}$newer"
    }
    s"ON CONFLICT (${key.columns.mkString(", ")}) DO $act"
  }

  def onDuplicateKey(table: String, columns: Seq[String], key: UpsertKey): Statement = {
    val update = (others(columns, key), key.version) match {
      case (Seq(), _)      => Seq(s"${key.columns.head} = ${key.columns.head}")
      case (changed, None) => changed.map(name => s"$name = VALUES($name)")
      // The server assigns from left to right, so that the version is last.
      case (changed, Some(last)) =>
        (changed.filterNot(_ == last) :+ last).map { name =>
          s"$name = IF($last IS NULL OR VALUES($last) > $last, VALUES($name), $name)"
        }
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
      key: UpsertKey,
      alias: String = "stoplog_s"
  ): Statement = {
    val update  = others(columns, key)
    val matches = key.columns.map(name => s"stoplog_t.$name = ?").mkString(" AND ")
    val newer   = key.version.fold("")(v => s" AND (stoplog_t.$v IS NULL OR stoplog_t.$v < ?)")
    val change  =
      if (update.isEmpty) ""
      else s" WHEN MATCHED$newer THEN UPDATE SET ${update.map(name => s"$name = ?").mkString(", ")}"
    Statement(
      s"MERGE INTO $table AS stoplog_t USING $one AS $alias ON $matches$change" +
        s" WHEN NOT MATCHED THEN INSERT (${columns.mkString(", ")}) VALUES (${marks(columns)})",
      (key.columns ++ key.version ++ update).map(columns.indexOf(_)) ++ columns.indices
    )
  }

  def insertion(table: String, columns: Seq[String]): Statement =
    Statement(insert(table, columns), columns.indices)

  def insert(table: String, columns: Seq[String]): String =
    s"INSERT INTO $table (${columns.mkString(", ")}) VALUES (${marks(columns)})"

  def marks(values: Iterable[Any]): String = values.map(_ => "?").mkString(", ")

  private def others(columns: Seq[String], key: UpsertKey): Seq[String] =
    columns.filterNot(key.columns.contains)
}
