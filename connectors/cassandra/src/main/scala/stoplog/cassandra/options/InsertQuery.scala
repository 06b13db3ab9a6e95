// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import scala.util.matching.Regex

import stoplog.options.OptionType

/** Which column of the rows is which of the table. */
private[cassandra] sealed trait RowColumns {

  /** From the rows' columns to the table's, where names differ. */
  def mapping: Map[String, String]
}
private[cassandra] object RowColumns {

  /** The same name, or what is mapped to it. */
  final case class ByName(mapping: Map[String, String]) extends RowColumns

  /** The first column of the rows is the first of these, and so on. */
  final case class ByPosition(names: Vector[String]) extends RowColumns {
    override def mapping: Map[String, String] = Map.empty
  }
}

/** A statement `INSERT INTO keyspace.table (a, b) VALUES (?, ?)`, whose places are filled by position.
  *
  * @param keyspace if it names one
  * @param columns  as the table has them: without quotes, and in lower case where they had none
  */
private[cassandra] final case class InsertQuery(
    keyspace: Option[String],
    table: String,
    columns: Vector[String]
)

private[cassandra] object InsertQuery {

  val values: OptionType[InsertQuery] = OptionType[InsertQuery](
    "`INSERT INTO keyspace.table (a, b) VALUES (?, ?)`",
    parse(_),
    query =>
      s"INSERT INTO ${query.keyspace.fold("")(_ + ".")}${query.table} (${query.columns.mkString(", ")}) " +
        s"VALUES (${query.columns.map(_ => "?").mkString(", ")})"
  )

  def parse(cql: String): Either[String, InsertQuery] = cql.trim.stripSuffix(";") match {
    case Insert(keyspace, table, names, places, rest) =>
      val columns = Name.findAllIn(names).map(unquoted).toVector
      val marks   = places.count(_ == '?')
      if (rest.trim.nonEmpty)
        Left(
          s"ends with '${rest.trim}': the options ttl and writeTimestamp say that, and IF NOT EXISTS has none"
        )
      else if (marks != columns.size) Left(s"names ${columns.size} columns, and has $marks places")
      else if (columns.distinct.size < columns.size) Left("names a column twice")
      else Right(InsertQuery(Option(keyspace).map(unquoted), unquoted(table), columns))
    case _ =>
      Left("is not of the form INSERT INTO keyspace.table (a, b) VALUES (?, ?), with a ? for each column")
  }

  private def unquoted(name: String): String =
    if (name.startsWith("\"")) name.substring(1, name.length - 1).replace("\"\"", "\"") else name.toLowerCase

  private val OneName = "\"(?:[^\"]|\"\")+\"|[A-Za-z][A-Za-z0-9_]*"
  private val Name    = OneName.r

  private val Insert: Regex =
    (s"(?is)INSERT\\s+INTO\\s+(?:($OneName)\\s*\\.\\s*)?($OneName)\\s*" +
      s"\\(\\s*((?:$OneName)(?:\\s*,\\s*(?:$OneName))*)\\s*\\)\\s*" +
      "VALUES\\s*\\(\\s*(\\?(?:\\s*,\\s*\\?)*)\\s*\\)(.*)").r
}
