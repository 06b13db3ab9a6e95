// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import java.util.Locale

import scala.util.matching.Regex

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel

import stoplog.options.OptionType

/** The table's columns to which the rows' columns are written. */
private[cassandra] sealed trait RowColumns {

  /** The mapping from the rows' columns to the table's columns with different names. */
  def mapping: Map[String, String]
}
private[cassandra] object RowColumns {

  /** Columns are matched by name or by the mapping. */
  final case class ByName(mapping: Map[String, String]) extends RowColumns

  /** The first column of the rows is written to the first of these columns, and so on. */
  final case class ByPosition(names: Vector[String]) extends RowColumns {
    override def mapping: Map[String, String] = Map.empty
  }
}

/** A statement `INSERT INTO keyspace.table (a, b) VALUES (?, ?)`, whose markers are filled by position.
  *
  * @param keyspace the keyspace, if the statement names a keyspace
  * @param columns  the names in the table: without quotes, and in lower case if unquoted in the statement
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
          s"ends with '${rest.trim}': use the options ttl and writeTimestamp; IF NOT EXISTS is not supported"
        )
      else if (marks != columns.size) Left(s"names ${columns.size} columns, and has $marks placeholders")
      else if (columns.distinct.size < columns.size) Left("names a column twice")
      else Right(InsertQuery(Option(keyspace).map(unquoted), unquoted(table), columns))
    case _ =>
      Left("is not of the form INSERT INTO keyspace.table (a, b) VALUES (?, ?), with a ? for each column")
  }

  private def unquoted(name: String): String =
    if (name.startsWith("\"")) name.substring(1, name.length - 1).replace("\"\"", "\"")
    else name.toLowerCase(Locale.ROOT)

  private val OneName = "\"(?:[^\"]|\"\")+\"|[A-Za-z][A-Za-z0-9_]*"
  private val Name    = OneName.r

  private val Insert: Regex =
    (s"(?is)INSERT\\s+INTO\\s+(?:($OneName)\\s*\\.\\s*)?($OneName)\\s*" +
      s"\\(\\s*((?:$OneName)(?:\\s*,\\s*(?:$OneName))*)\\s*\\)\\s*" +
      "VALUES\\s*\\(\\s*(\\?(?:\\s*,\\s*\\?)*)\\s*\\)(.*)").r
}

/** The `host:port` pairs of some nodes. */
private[options] object ContactPoints {
  final val DefaultPort = 9042

  val values: OptionType[Vector[(String, Int)]] = OptionType[Vector[(String, Int)]](
    s"list of `host` or `host:port`, separated by commas; the default port is $DefaultPort",
    parse(_),
    _.map { case (host, port) => s"$host:$port" }.mkString(",")
  )

  def parse(text: String): Either[String, Vector[(String, Int)]] = {
    val parsed = text.split(',').map(_.trim).toVector.map {
      case Bracketed(host, port) => Some(host -> portOf(port))
      case Plain(host, port)     => Some(host -> portOf(port))
      case _                     => None
    }
    if (parsed.nonEmpty && parsed.forall(_.exists(_._2 > 0))) Right(parsed.flatten)
    else Left("is not a list of host or host:port")
  }

  private def portOf(text: String): Int =
    Option(text).fold(DefaultPort)(_.toIntOption.filter(_ < 65536).getOrElse(0))

  // IPv6 addresses contain colons.
  private val Bracketed = "\\[([0-9a-fA-F:.%]+)\\](?::([0-9]+))?".r
  private val Plain     = "([^:\\s\\[\\]]+)(?::([0-9]+))?".r
}

/** `rows' column = table's column`. */
private[options] object ColumnMapping {

  val values: OptionType[Map[String, String]] = OptionType[Map[String, String]](
    "list of `rows' column = table's column`, separated by commas",
    parse(_),
    _.map { case (row, table) => s"$row=$table" }.mkString(",")
  )

  def parse(text: String): Either[String, Map[String, String]] = {
    val pairs = text.split(',').map(_.split("=", -1).map(_.trim)).toSeq
    val names = pairs.collect { case Array(row, table) if row.nonEmpty && table.nonEmpty => row -> table }
    def twice(all: Seq[String]) = all.diff(all.distinct).headOption
    if (names.size < pairs.size) Left("is not a list such as orderId=order_id,at=created")
    else
      twice(names.map(_._1))
        .orElse(twice(names.map(_._2)))
        .map(name => s"names $name twice")
        .toLeft(names.toMap)
  }
}

/** The supported consistency levels. */
private[cassandra] object ConsistencyLevels {
  import DefaultConsistencyLevel._

  // Without ANY, which would count a row as written that no replica has.
  val data: OptionType[DefaultConsistencyLevel] =
    OptionType.named[DefaultConsistencyLevel](
      Seq(LOCAL_ONE, ONE, TWO, THREE, LOCAL_QUORUM, QUORUM, EACH_QUORUM, ALL)
    )(_.name)

  val serial: OptionType[DefaultConsistencyLevel] =
    OptionType.named[DefaultConsistencyLevel](Seq(SERIAL, LOCAL_SERIAL))(_.name)
}
