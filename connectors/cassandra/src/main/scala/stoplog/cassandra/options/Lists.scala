// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import stoplog.options.OptionType

/** `host:port` of some nodes. */
private[options] object ContactPoints {
  final val DefaultPort = 9042

  val values: OptionType[Vector[(String, Int)]] = OptionType[Vector[(String, Int)]](
    s"list of `host` or `host:port`, separated by commas; the port is $DefaultPort if there is none",
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

  // Addresses of IPv6 have colons of their own.
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
