// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.options

import java.util.{Map => JMap}

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel

import stoplog.cassandra.client.{Connection, Credentials}
import stoplog.cassandra.options.{CassandraOptionRegistry => Registry}
import stoplog.options.{AskedOptions, ByteSize, Problems, SinkOption, SparkOptions, TimeSpan}

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
    val problems = new Problems
    val asked    = new AskedOptions(SparkOptions.spelled(options), problems, Registry.all)
    val query    = asked.optional(Registry.Query)(InsertQuery.parse)
    if (asked.isSet(Registry.Query)) refuseBesideQuery(asked, query)
    val parsed = CassandraOptions(
      connection = connection(asked, problems),
      table = QualifiedTable(
        query.flatMap(_.keyspace).getOrElse(needed(asked, problems, Registry.Keyspace)),
        query
          .map(_.table)
          .getOrElse(if (asked.isSet(Registry.Query)) "" else needed(asked, problems, Registry.TableName))
      ),
      columns = query match {
        case Some(insert) => RowColumns.ByPosition(insert.columns)
        case None         =>
          RowColumns.ByName(asked.optional(Registry.ColumnMapping)(ColumnMapping.parse).getOrElse(Map.empty))
      },
      consistency = asked.value(Registry.Consistency)(level(Levels.data)),
      retryTimeoutMillis = asked.value(Registry.RetryTimeout)(TimeSpan.parse),
      write = write(asked, problems),
      read = ReadOptions(
        asked.value(Registry.MaxSplitMemorySize)(ByteSize.parse),
        asked.value(Registry.PageRows)(count)
      )
    )
    refuseUnknown(asked, problems)
    problems.throwIfAny()
    parsed
  }

  /** The query says what these would. */
  private def refuseBesideQuery(asked: AskedOptions, query: Option[InsertQuery]): Unit = {
    val keyspace = if (query.exists(_.keyspace.isDefined)) Seq(Registry.Keyspace) else Nil
    asked.withoutEffect(
      keyspace ++ Seq(Registry.TableName, Registry.ColumnMapping),
      "beside query, which names it"
    )
  }

  private def connection(asked: AskedOptions, problems: Problems): Connection = {
    val points = asked.optional(Registry.ContactPoints)(ContactPoints.parse)
    if (points.isEmpty && !asked.isSet(Registry.ContactPoints))
      needed(asked, problems, Registry.ContactPoints)
    Connection(
      contactPoints = points.getOrElse(Vector.empty),
      localDatacenter = asked.text(Registry.LocalDatacenter),
      credentials = credentials(asked, problems),
      requestTimeoutMillis = asked.value(Registry.RequestTimeout)(TimeSpan.parse),
      driverSettings = asked.others.filter { case (key, _) => key.startsWith(Connection.DriverPrefix) }.toMap
    )
  }

  private def credentials(asked: AskedOptions, problems: Problems): Option[Credentials] =
    (asked.text(Registry.Username), asked.text(Registry.Password)) match {
      case (Some(username), Some(password)) => Some(Credentials(username, password))
      case (None, None)                     => None
      case _                                =>
        problems.add("username and password belong together: set both, or neither.")
        None
    }

  private def write(asked: AskedOptions, problems: Problems): WriteOptions = WriteOptions(
    timestamp = WriteTimestamp.parse(asked, problems),
    ttl = Ttl.parse(asked, problems),
    nulls = asked.value(Registry.NullValues)(AskedOptions.oneOf(NullValues.all.map(c => c.word -> c))),
    maxInFlight = asked.value(Registry.MaxInFlight)(count),
    maxBatchRows = asked.value(Registry.MaxBatchRows)(count),
    maxBatchBytes = asked.value(Registry.MaxBatchSize)(ByteSize.parse),
    distribution = asked.value(Registry.Distribution)(AskedOptions.oneOf(RowSpread.all.map(c => c.word -> c)))
  )

  private def needed(asked: AskedOptions, problems: Problems, option: SinkOption): String =
    asked.text(option).getOrElse {
      problems.add(s"${option.key} is not set.")
      ""
    }

  private[options] def level(levels: Seq[DefaultConsistencyLevel])(
      text: String
  ): Either[String, DefaultConsistencyLevel] = AskedOptions.oneOf(levels.map(l => l.name -> l))(text)

  private def count(text: String): Either[String, Int] =
    AskedOptions.wholeNumber(text).filterOrElse(_ <= Int.MaxValue, "is too large").map(_.toInt)

  private def refuseUnknown(asked: AskedOptions, problems: Problems): Unit = {
    val known = Registry.all.map(option => option.key -> option)
    for {
      (key, _) <- asked.others
      if !isSparks(key) && !key.startsWith(Connection.DriverPrefix)
      why <- AskedOptions.oneOf(known)(key).left.toOption
    } problems.add(s"$key $why.")
  }

  /** What Spark itself puts into the options of a read or a write. */
  private def isSparks(key: String): Boolean =
    key.startsWith("_") || Seq("checkpointLocation", "queryName").exists(_.equalsIgnoreCase(key))
}
