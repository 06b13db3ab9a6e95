// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import java.util.{Map => JMap}

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel

import stoplog.cassandra.client.{Connection, Credentials}
import stoplog.cassandra.options.{CassandraOptionRegistry => Registry}
import stoplog.options.{Opt, OptionReader, OptionType, SparkOptions}

/** All options of one read or write, checked and with their defaults. Their meaning is in [[CassandraOptionRegistry]].
  *
  * @param columns which column of the rows is which of the table
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

/** @param ttl how long cells live, if the table is not to say it */
private[cassandra] final case class WriteOptions(
    timestamp: WriteTimestamp,
    ttl: Option[Ttl],
    nulls: NullValues,
    maxInFlight: Int,
    maxBatchRows: Int,
    maxBatchBytes: Long,
    distribution: RowSpread
)

private[cassandra] final case class ReadOptions(maxSplitBytes: Long, pageRows: Int)

private[cassandra] object CassandraOptions {

  /** Throws `STOPLOG_INVALID_OPTIONS` with all problems at once. */
  def parse(options: JMap[String, String]): CassandraOptions = {
    val asked = new OptionReader(SparkOptions.spelled(options), Registry.all)
    val query = asked.get(Registry.Query)
    if (asked.isSet(Registry.Query)) refuseBesideQuery(asked, query)
    val parsed = CassandraOptions(
      connection = connection(asked),
      table = QualifiedTable(
        query.flatMap(_.keyspace).getOrElse(needed(asked, Registry.Keyspace)),
        query
          .map(_.table)
          .getOrElse(if (asked.isSet(Registry.Query)) "" else needed(asked, Registry.TableName))
      ),
      columns = query match {
        case Some(insert) => RowColumns.ByPosition(insert.columns)
        case None         =>
          RowColumns.ByName(asked.get(Registry.ColumnMapping).getOrElse(Map.empty))
      },
      consistency = asked(Registry.Consistency),
      retryTimeoutMillis = asked(Registry.RetryTimeout),
      write = write(asked),
      read = ReadOptions(
        asked(Registry.MaxSplitMemorySize),
        asked(Registry.PageRows)
      )
    )
    refuseUnknown(asked)
    asked.errors.throwIfAny()
    parsed
  }

  /** The query says what these would. */
  private def refuseBesideQuery(asked: OptionReader, query: Option[InsertQuery]): Unit = {
    val keyspace = if (query.exists(_.keyspace.isDefined)) Seq(Registry.Keyspace) else Nil
    asked.withoutEffect(
      keyspace ++ Seq(Registry.TableName, Registry.ColumnMapping),
      "beside query, which names it"
    )
  }

  private def connection(asked: OptionReader): Connection = {
    val points = asked.get(Registry.ContactPoints)
    if (points.isEmpty && !asked.isSet(Registry.ContactPoints))
      needed(asked, Registry.ContactPoints)
    Connection(
      contactPoints = points.getOrElse(Vector.empty),
      localDatacenter = asked.text(Registry.LocalDatacenter),
      credentials = credentials(asked),
      requestTimeoutMillis = asked(Registry.RequestTimeout),
      driverSettings = asked.others.filter { case (key, _) => key.startsWith(Connection.DriverPrefix) }.toMap
    )
  }

  private def credentials(asked: OptionReader): Option[Credentials] =
    (asked.text(Registry.Username), asked.text(Registry.Password)) match {
      case (Some(username), Some(password)) => Some(Credentials(username, password))
      case (None, None)                     => None
      case _                                =>
        asked.errors.add("username and password belong together: set both, or neither.")
        None
    }

  private def write(asked: OptionReader): WriteOptions = WriteOptions(
    timestamp = WriteTimestamp.parse(asked),
    ttl = Ttl.parse(asked),
    nulls = asked(Registry.NullValues),
    maxInFlight = asked(Registry.MaxInFlight),
    maxBatchRows = asked(Registry.MaxBatchRows),
    maxBatchBytes = asked(Registry.MaxBatchSize),
    distribution = asked(Registry.Distribution)
  )

  private def needed(asked: OptionReader, option: Opt[_]): String =
    asked.text(option).getOrElse {
      asked.errors.add(s"${option.key} is not set.")
      ""
    }

  private def refuseUnknown(asked: OptionReader): Unit = {
    val known = Registry.all.map(option => option.key -> option.key)
    for {
      (key, _) <- asked.others
      if !isSparks(key) && !key.startsWith(Connection.DriverPrefix)
      why <- OptionType.oneOf(known)(key).left.toOption
    } asked.errors.add(s"$key $why.")
  }

  /** What Spark itself puts into the options of a read or a write. */
  private def isSparks(key: String): Boolean =
    key.startsWith("_") || Seq("checkpointLocation", "queryName").exists(_.equalsIgnoreCase(key))
}
