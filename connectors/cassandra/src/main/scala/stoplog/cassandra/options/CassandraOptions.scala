// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import java.util.{Map => JMap}

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel

import stoplog.cassandra.client.{Connection, Credentials, DriverSettings}
import stoplog.cassandra.options.{CassandraOptionRegistry => Registry}
import stoplog.options.{Opt, OptionReader, OptionType, SparkOptions, TimeSpan}

/** All options of a read or write, checked and with their defaults. [[CassandraOptionRegistry]] describes the
  * options.
  *
  * @param columns the mapping of the rows' columns to the table's columns
  */
private[cassandra] final case class CassandraOptions(
    connection: Connection,
    table: QualifiedTable,
    columns: RowColumns,
    consistency: DefaultConsistencyLevel,
    retryTimeoutMillis: Long,
    write: WriteOptions,
    read: ReadOptions
)

private[cassandra] final case class QualifiedTable(keyspace: String, name: String) {
  override def toString: String = s"$keyspace.$name"
}

/** @param ttl the time to live of cells, if the table's setting is overridden */
private[cassandra] final case class WriteOptions(
    timestamp: WriteTimestamp,
    ttl: Option[Ttl],
    nulls: NullValues,
    maxInFlight: Int,
    maxBatchRows: Int,
    maxBatchBytes: Long,
    distribution: RowSpread
) {

  /** The consistency of conditional writes to the connector's own tables. */
  def serial: DefaultConsistencyLevel = timestamp match {
    case WriteTimestamp.OfEpoch(_, _, serial) => serial
    case _                                    => DefaultConsistencyLevel.SERIAL
  }
}

private[cassandra] final case class ReadOptions(maxSplitBytes: Long, pageRows: Int)

private[cassandra] object CassandraOptions {

  /** Throws `STOPLOG_INVALID_OPTIONS` with all problems at once. */
  def parse(options: JMap[String, String]): CassandraOptions = {
    val reader = new OptionReader(SparkOptions.spelled(options), Registry.all)
    val query  = reader.get(Registry.Query)
    if (reader.isSet(Registry.Query)) refuseWithQuery(reader, query)
    val parsed = CassandraOptions(
      connection = connection(reader),
      table = QualifiedTable(
        query.flatMap(_.keyspace).getOrElse(needed(reader, Registry.Keyspace)),
        query
          .map(_.table)
          .getOrElse(if (reader.isSet(Registry.Query)) "" else needed(reader, Registry.TableName))
      ),
      columns = query match {
        case Some(insert) => RowColumns.ByPosition(insert.columns)
        case None         =>
          RowColumns.ByName(reader.get(Registry.ColumnMapping).getOrElse(Map.empty))
      },
      consistency = reader(Registry.Consistency),
      retryTimeoutMillis = reader(Registry.RetryTimeout),
      write = write(reader),
      read = ReadOptions(
        reader(Registry.MaxSplitMemorySize),
        reader(Registry.PageRows)
      )
    )
    refuseUnknown(reader)
    reader.errors.throwIfAny()
    parsed
  }

  /** Rejects options that the query replaces. */
  private def refuseWithQuery(reader: OptionReader, query: Option[InsertQuery]): Unit = {
    val keyspace = if (query.exists(_.keyspace.isDefined)) Seq(Registry.Keyspace) else Nil
    reader.withoutEffect(
      keyspace ++ Seq(Registry.TableName, Registry.ColumnMapping),
      "beside query, which names it"
    )
  }

  private def connection(reader: OptionReader): Connection = {
    val points = reader.get(Registry.ContactPoints)
    if (points.isEmpty && !reader.isSet(Registry.ContactPoints))
      needed(reader, Registry.ContactPoints)
    val settings = reader.others.filter { case (key, _) => key.startsWith(Connection.DriverPrefix) }.toMap
    DriverSettings.problems(settings).foreach(reader.errors.add(_))
    Connection(
      contactPoints = points.getOrElse(Vector.empty),
      localDatacenter = reader.text(Registry.LocalDatacenter),
      credentials = credentials(reader),
      requestTimeoutMillis = reader(Registry.RequestTimeout),
      driverSettings = settings
    )
  }

  private def credentials(reader: OptionReader): Option[Credentials] =
    (reader.text(Registry.Username), reader.text(Registry.Password)) match {
      case (Some(username), Some(password)) => Some(Credentials(username, password))
      case (None, None)                     => None
      case _                                =>
        reader.errors.add("username and password belong together: set both, or neither.")
        None
    }

  private def write(reader: OptionReader): WriteOptions = WriteOptions(
    timestamp = WriteTimestamp.parse(reader),
    ttl = Ttl.parse(reader),
    nulls = reader(Registry.NullValues),
    maxInFlight = reader(Registry.MaxInFlight),
    maxBatchRows = reader(Registry.MaxBatchRows),
    maxBatchBytes = reader(Registry.MaxBatchSize),
    distribution = reader(Registry.Distribution)
  )

  private def needed(reader: OptionReader, option: Opt[_]): String =
    reader.text(option).getOrElse {
      reader.errors.add(s"${option.key} is not set.")
      ""
    }

  private def refuseUnknown(reader: OptionReader): Unit = {
    val known = Registry.all.map(option => option.key -> option.key)
    for {
      (key, _) <- reader.others
      if !SparkOptions.isSparks(key) && !key.startsWith(Connection.DriverPrefix)
      why <- OptionType.oneOf(known)(key).left.toOption
    } reader.errors.add(s"$key $why.")
  }
}

/** The source of the timestamps of writes. */
private[cassandra] sealed trait WriteTimestamp
private[cassandra] object WriteTimestamp {

  /** The time of the epoch.
    *
    * @param keyspace the keyspace of the table with these times; the keyspace of the rows' table by default
    */
  final case class OfEpoch(keyspace: Option[String], table: String, serial: DefaultConsistencyLevel)
      extends WriteTimestamp

  /** A column of the rows. */
  final case class OfColumn(name: String) extends WriteTimestamp

  /** The server's time of arrival of each row. */
  case object OfServer extends WriteTimestamp

  def parse(reader: OptionReader): WriteTimestamp = {
    val word   = reader(Registry.WriteTimestamp)
    val serial = reader(Registry.SerialConsistency)
    val table  = reader(Registry.EpochTable)
    if (word != "epoch")
      reader.withoutEffect(
        Seq(Registry.EpochTable, Registry.SerialConsistency),
        s"with writeTimestamp = '$word'"
      )
    if (word != "column")
      reader.withoutEffect(Seq(Registry.WriteTimestampColumn), s"with writeTimestamp = '$word'")
    word match {
      case "server" => OfServer
      case "epoch"  => OfEpoch(table._1, table._2, serial)
      case _        =>
        val column = reader.text(Registry.WriteTimestampColumn)
        if (column.isEmpty) reader.errors.add("writeTimestamp = 'column' needs writeTimestampColumn: set it.")
        OfColumn(column.getOrElse(""))
    }
  }
}

/** The name of a table, with or without a keyspace. */
private[cassandra] object TablePath {

  val values: OptionType[(Option[String], String)] = OptionType[(Option[String], String)](
    "name of a table, or `keyspace.table`",
    parse(_),
    { case (keyspace, table) => keyspace.fold(table)(in => s"$in.$table") }
  )

  def parse(text: String): Either[String, (Option[String], String)] =
    text.trim.split("\\.", -1) match {
      case Array(table) if table.nonEmpty                                => Right((None, table))
      case Array(keyspace, table) if keyspace.nonEmpty && table.nonEmpty => Right((Some(keyspace), table))
      case _ => Left("is not a table, or keyspace.table")
    }
}

/** The time to live of written cells. */
private[cassandra] sealed trait Ttl
private[cassandra] object Ttl {
  final case class Constant(seconds: Int) extends Ttl

  /** A column of the rows, in seconds. */
  final case class OfColumn(name: String) extends Ttl

  /** Cassandra's maximum: 20 years. */
  final val MostSeconds = 20 * 365 * 24 * 3600

  def parse(reader: OptionReader): Option[Ttl] = {
    val constant = reader.get(Registry.Ttl)
    val column   = reader.text(Registry.TtlColumn)
    if (reader.isSet(Registry.Ttl) && column.isDefined)
      reader.errors.add("ttl and ttlColumn: set only one of them.")
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

/** The effect of a null on an existing cell. */
private[cassandra] sealed abstract class NullValues(val word: String)
private[cassandra] object NullValues {
  case object Unset  extends NullValues("unset")
  case object Delete extends NullValues("delete")

  val all: Seq[NullValues] = Seq(Unset, Delete)
}

/** The distribution of rows over tasks. */
private[cassandra] sealed abstract class RowSpread(val word: String)
private[cassandra] object RowSpread {
  case object Unspecified    extends RowSpread("none")
  case object ByPartitionKey extends RowSpread("byPartitionKey")

  val all: Seq[RowSpread] = Seq(Unspecified, ByPartitionKey)
}
