// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import java.util.{Map => JMap}

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel
import com.datastax.oss.driver.api.core.config.DefaultDriverOption

import stoplog.cassandra.client.{Connection, Credentials, DriverSettings}
import stoplog.cassandra.options.{CassandraOptionRegistry => Registry}
import stoplog.options.{Opt, OptionReader, OptionType, OtherNames, SparkOptions, TimeSpan}

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
    maxBatchBytes: Long,
    distribution: RowSpread
) {

  /** The consistency of conditional writes to the connector's own tables. */
  def serial: DefaultConsistencyLevel = timestamp match {
    case WriteTimestamp.OfEpoch(_, _, serial) => serial
    case _                                    => DefaultConsistencyLevel.SERIAL
  }
}

private[cassandra] final case class ReadOptions(maxSplitBytes: Long)

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
      read = ReadOptions(reader(Registry.MaxSplitMemorySize))
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
      "with query, which names the table"
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
      localDatacenter = DriverSettings.text(settings, DefaultDriverOption.LOAD_BALANCING_LOCAL_DATACENTER),
      credentials = credentials(reader),
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
      problem  <- otherNames.problem(key)
    } reader.errors.add(problem)
    for {
      (key, _) <- reader.others
      if otherNames.problem(key).isEmpty && !SparkOptions.isSparks(key) && !key.startsWith(
        Connection.DriverPrefix
      )
      why <- OptionType.oneOf(known)(key).left.toOption
    } reader.errors.add(s"$key $why.")
  }

  private lazy val otherNames = OtherNames.ofConnector("cassandra")
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
    val choice = reader(Registry.WriteTimestamp)
    if (choice != WriteTimestampChoice.Epoch)
      reader.withoutEffect(
        Seq(Registry.ProgressTable),
        s"with writeTimestamp = '${WriteTimestampChoice.values.render(choice)}'"
      )
    choice match {
      case WriteTimestampChoice.Server       => OfServer
      case WriteTimestampChoice.Column(name) => OfColumn(name)
      case WriteTimestampChoice.Epoch        =>
        val (keyspace, table) = reader.get(Registry.ProgressTable).getOrElse((None, DefaultTable))
        OfEpoch(keyspace, table, serial(reader))
    }
  }

  /** The consistency of conditional writes, which the driver's setting changes. */
  private def serial(reader: OptionReader): DefaultConsistencyLevel = {
    val settings = reader.others.toMap
    val key      = DefaultDriverOption.REQUEST_SERIAL_CONSISTENCY
    DriverSettings.text(settings, key).fold(DefaultConsistencyLevel.SERIAL) { text =>
      ConsistencyLevels.serial
        .parse(text)
        .left
        .map(why => reader.errors.add(s"${Connection.DriverPrefix}${key.getPath} = '$text' $why."))
        .getOrElse(DefaultConsistencyLevel.SERIAL)
    }
  }

  private final val DefaultTable = "stoplog_epochs"
}

/** The values of the option `writeTimestamp`. */
private[cassandra] sealed trait WriteTimestampChoice
private[cassandra] object WriteTimestampChoice {
  case object Epoch                     extends WriteTimestampChoice
  case object Server                    extends WriteTimestampChoice
  final case class Column(name: String) extends WriteTimestampChoice

  val values: OptionType[WriteTimestampChoice] = {
    val words = OptionType.words[WriteTimestampChoice]("epoch" -> Epoch, "server" -> Server)
    OptionType[WriteTimestampChoice](
      "`epoch`, `server` or `column <name>`",
      text => ColumnOf.unapply(text).map(name => Right(Column(name))).getOrElse(words.parse(text)),
      {
        case Column(name) => s"column $name"
        case word         => words.render(word)
      }
    )
  }
}

/** The value `column <name>` of an option. */
private[options] object ColumnOf {
  private val Form = "(?is)\\s*column\\s+(.*\\S)\\s*".r

  def unapply(text: String): Option[String] = text match {
    case Form(name) => Some(name)
    case _          => None
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

  def parse(reader: OptionReader): Option[Ttl] = reader.get(Registry.Ttl)

  val values: OptionType[Ttl] = OptionType[Ttl](
    "time, or `column <name>`",
    {
      case ColumnOf(name) => Right(OfColumn(name))
      case text           => seconds(text).map(Constant(_))
    },
    {
      case Constant(seconds) => TimeSpan.render(seconds * 1000L)
      case OfColumn(name)    => s"column $name"
    }
  )

  private def seconds(text: String): Either[String, Int] = TimeSpan.parse(text).flatMap { millis =>
    if (millis % 1000 != 0) Left("is not whole seconds")
    else if (millis / 1000 > MostSeconds) Left("is more than 20 years, which Cassandra rejects")
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
