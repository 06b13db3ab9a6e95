// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel

import stoplog.cassandra.options.{CassandraOptionRegistry => Registry}
import stoplog.options.{OptionReader, OptionType, TimeSpan}

/** Where the timestamps of writes come from. */
private[cassandra] sealed trait WriteTimestamp
private[cassandra] object WriteTimestamp {

  /** From the time of the epoch.
    *
    * @param keyspace of the table that keeps these times; that of the rows if there is none
    */
  final case class OfEpoch(keyspace: Option[String], table: String, serial: DefaultConsistencyLevel)
      extends WriteTimestamp

  /** From a column of the rows. */
  final case class OfColumn(name: String) extends WriteTimestamp

  /** From the server, as each row comes. */
  case object OfServer extends WriteTimestamp

  def parse(asked: OptionReader): WriteTimestamp = {
    val word   = asked(Registry.WriteTimestamp)
    val serial = asked(Registry.SerialConsistency)
    val table  = asked(Registry.EpochTable)
    if (word != "epoch")
      asked.withoutEffect(
        Seq(Registry.EpochTable, Registry.SerialConsistency),
        s"with writeTimestamp = '$word'"
      )
    if (word != "column")
      asked.withoutEffect(Seq(Registry.WriteTimestampColumn), s"with writeTimestamp = '$word'")
    word match {
      case "server" => OfServer
      case "epoch"  => OfEpoch(table._1, table._2, serial)
      case _        =>
        val column = asked.text(Registry.WriteTimestampColumn)
        if (column.isEmpty) asked.errors.add("writeTimestamp = 'column' needs writeTimestampColumn: set it.")
        OfColumn(column.getOrElse(""))
    }
  }
}

/** The table that keeps the times of epochs. */
private[options] object EpochTable {

  val values: OptionType[(Option[String], String)] = OptionType[(Option[String], String)](
    "name of a table, or `keyspace.table`",
    parse(_),
    { case (keyspace, table) => keyspace.fold(table)(in => s"$in.$table") }
  )

  private def parse(text: String): Either[String, (Option[String], String)] =
    text.trim.split("\\.", -1) match {
      case Array(table) if table.nonEmpty                                => Right((None, table))
      case Array(keyspace, table) if keyspace.nonEmpty && table.nonEmpty => Right((Some(keyspace), table))
      case _ => Left("is not a table, or keyspace.table")
    }
}

/** How long written cells live. */
private[cassandra] sealed trait Ttl
private[cassandra] object Ttl {
  final case class Constant(seconds: Int) extends Ttl

  /** As a column of the rows says, in seconds. */
  final case class OfColumn(name: String) extends Ttl

  /** What Cassandra takes at most: 20 years. */
  final val MostSeconds = 20 * 365 * 24 * 3600

  def parse(asked: OptionReader): Option[Ttl] = {
    val constant = asked.get(Registry.Ttl)
    val column   = asked.text(Registry.TtlColumn)
    if (asked.isSet(Registry.Ttl) && column.isDefined)
      asked.errors.add("ttl and ttlColumn: set only one of them.")
    constant.map(Constant(_)).orElse(column.map(OfColumn(_)))
  }

  val values: OptionType[Int] =
    OptionType[Int](OptionType.span.described, seconds(_), seconds => TimeSpan.render(seconds * 1000L))

  private def seconds(text: String): Either[String, Int] = TimeSpan.parse(text).flatMap { millis =>
    if (millis % 1000 != 0) Left("is not whole seconds")
    else if (millis / 1000 > MostSeconds) Left("is more than 20 years, which Cassandra refuses")
    else Right((millis / 1000).toInt)
  }
}

/** What a null does to the cell that may be there. */
private[cassandra] sealed abstract class NullValues(val word: String)
private[cassandra] object NullValues {
  case object Unset  extends NullValues("unset")
  case object Delete extends NullValues("delete")

  val all: Seq[NullValues] = Seq(Unset, Delete)
}

/** How rows are spread over tasks. */
private[cassandra] sealed abstract class RowSpread(val word: String)
private[cassandra] object RowSpread {
  case object Unspecified    extends RowSpread("none")
  case object ByPartitionKey extends RowSpread("byPartitionKey")

  val all: Seq[RowSpread] = Seq(Unspecified, ByPartitionKey)
}
