// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.{DataType => CqlType, DataTypes => Cql, ListType}
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StructType, TimestampType}

import stoplog.cassandra.client.CassandraErrors
import stoplog.cassandra.options.{CassandraOptions, RowColumns, Ttl, WriteTimestamp}
import stoplog.cassandra.schema.{Role, TableColumn, TableInfo}
import stoplog.cassandra.types.ColumnWriter
import stoplog.util.ColumnNames

/** The translation of rows into statements. Sent to the tasks.
  *
  * @param cql       an INSERT with a marker for each value, then for the timestamp and for the TTL if they
  *                  differ between rows
  * @param values    the written columns, in the order of the statement: the column of the rows by its index,
  *                  and the name of the column of the table
  * @param key       the indices in `values` of the columns of the primary key
  * @param partition the indices in `values` of the columns of the partition key
  * @param statics   the indices in `values` of static columns, which all rows of a partition share
  * @param timestamp the source of the timestamps
  * @param ttl       the column of the rows with the time to live
  */
private[cassandra] final case class WritePlan(
    table: String,
    cql: String,
    schema: StructType,
    values: Vector[(Int, String)],
    key: Vector[Int],
    partition: Set[Int],
    statics: Set[Int],
    timestamp: TimestampSource,
    ttl: Option[Int]
)

/** The source of a row's write timestamp. */
private[cassandra] sealed trait TimestampSource
private[cassandra] object TimestampSource {
  case object Epoch  extends TimestampSource
  case object Server extends TimestampSource

  /** A column of the rows. */
  final case class Column(ordinal: Int) extends TimestampSource
}

private[cassandra] object WritePlan {

  /** Checks the rows' columns against the table's columns. Error: `STOPLOG_ROW_COLUMNS` with all
    * problems.
    */
  def of(table: TableInfo, schema: StructType, options: CassandraOptions): WritePlan = {
    val checked = new Checked(table, schema, options)
    if (checked.problems.nonEmpty) throw CassandraErrors.schema(table.qualified, checked.problems)
    checked.plan
  }

  private final class Checked(table: TableInfo, schema: StructType, options: CassandraOptions) {
    private val timestampName = options.write.timestamp match {
      case WriteTimestamp.OfColumn(name) => Some(name)
      case _                             => None
    }
    private val ttlName = options.write.ttl.collect { case Ttl.OfColumn(name) => name }

    private val mapping = options.columns.mapping

    /** The names in the table by the ordinals of the rows. */
    private val renamed = mapping.flatMap { case (from, to) => ordinal(from).map(_ -> to) }

    private val positions = options.columns match {
      case RowColumns.ByPosition(names) => Some(names)
      case _                            => None
    }

    private val targets: Vector[(Int, Option[TableColumn])] = schema.fieldNames.toVector.zipWithIndex.map {
      case (name, ordinal) => ordinal -> target(name, ordinal).flatMap(table.column)
    }

    /** Returns the column's name in the table; `None` after the last marker of a query. */
    private def target(name: String, ordinal: Int): Option[String] =
      positions.fold(Option(renamed.getOrElse(ordinal, name)))(_.lift(ordinal))

    private val written = targets.collect { case (ordinal, Some(column)) => ordinal -> column }

    val problems: Seq[String] =
      counters ++ places ++ unknown ++ unknownMapping ++ twice ++ missing ++ types ++ lists ++
        timestampProblem ++ ttlProblem

    def plan: WritePlan = {
      val names = written.map(_._2.quoted)
      WritePlan(
        table = table.qualified,
        cql = s"INSERT INTO ${table.cql} (${names.mkString(", ")}) VALUES " +
          s"(${names.map(_ => "?").mkString(", ")})" +
          using,
        schema = schema,
        values = written.map { case (ordinal, column) => ordinal -> column.name },
        key = table.primaryKey.map(indexOf),
        partition = table.partitionKey.map(indexOf).toSet,
        statics = table.columns.filter(_.role == Role.Static).map(indexOf).filter(_ >= 0).toSet,
        timestamp = options.write.timestamp match {
          case _: WriteTimestamp.OfEpoch     => TimestampSource.Epoch
          case WriteTimestamp.OfServer       => TimestampSource.Server
          case WriteTimestamp.OfColumn(name) => TimestampSource.Column(ordinal(name).get)
        },
        ttl = ttlName.flatMap(ordinal)
      )
    }

    private def indexOf(column: TableColumn) = written.indexWhere(_._2 == column)

    private def using: String = {
      val timestamp = Option.when(options.write.timestamp != WriteTimestamp.OfServer)("TIMESTAMP ?")
      val ttl       = options.write.ttl.map {
        case Ttl.Constant(seconds) => s"TTL $seconds"
        case Ttl.OfColumn(_)       => "TTL ?"
      }
      val all = timestamp.toSeq ++ ttl
      if (all.isEmpty) "" else all.mkString(" USING ", " AND ", "")
    }

    private def counters =
      if (table.columns.exists(_.cql == Cql.COUNTER))
        Seq("The table has counters, which support only additions: a repeated epoch would add twice.")
      else Nil

    /** After the last marker, there may be columns with the timestamp and the TTL. */
    private def places = positions.toSeq.flatMap { names =>
      val more = schema.fieldNames.indices.drop(names.size).filterNot(isAside)
      Option.when(schema.size < names.size || more.nonEmpty) {
        s"The query has ${names.size} placeholders, for ${names.mkString(", ")}, and the rows have " +
          s"${schema.size} columns: ${schema.fieldNames.mkString(", ")}."
      }
    }

    private def unknown = for {
      (ordinal, None) <- targets
      name            <- target(schema(ordinal).name, ordinal)
      if positions.isDefined || !isAside(ordinal)
    } yield s"There is no column $name: the table has ${table.columns.map(_.name).mkString(", ")}."

    private def unknownMapping = mapping.keys.toSeq.sorted.filter(name => ordinal(name).isEmpty).map { name =>
      s"columnMapping names $name, which is not a column of the rows."
    }

    private def twice = written.groupBy(_._2).toSeq.collect {
      case (column, several) if several.size > 1 =>
        s"${several.map(each => schema(each._1).name).mkString(" and ")} are both written to ${column.name}."
    }

    private def missing = table.primaryKey.filterNot(written.map(_._2).contains).map { column =>
      val role = if (column.role == Role.PartitionKey) "partition key" else "clustering key"
      s"The rows have no column for ${column.name}, which is part of the $role."
    }

    private def types = written.flatMap { case (ordinal, column) =>
      ColumnWriter.of(schema(ordinal).dataType, column.cql, ProtocolVersion.DEFAULT).left.toOption.map { why =>
        s"${schema(ordinal).name}: $why."
      }
    }

    // The server creates new keys for the elements of such a list in each write. A write removes only older
    // elements, and therefore does not remove the elements of the same write in an earlier attempt.
    private def lists =
      if (options.write.timestamp == WriteTimestamp.OfServer) Nil
      else
        written.map(_._2).filter(column => isGrowing(column.cql)).map { column =>
          s"${column.name} is a list that is not frozen: written again with the same timestamp, it would " +
            "have its elements twice. Make it a frozen list or a set, or set writeTimestamp to server."
        }

    private def isGrowing(cql: CqlType) = cql match {
      case list: ListType => !list.isFrozen
      case _              => false
    }

    private def timestampProblem = timestampName.toSeq.flatMap(
      aside("writeTimestamp", _, Seq(TimestampType, LongType))
    )

    private def ttlProblem = ttlName.toSeq.flatMap(aside("ttl", _, Seq(IntegerType, LongType)))

    private def aside(option: String, name: String, types: Seq[DataType]): Option[String] =
      ordinal(name).map(schema(_).dataType) match {
        case None => Some(s"$option names $name, which is not a column of the rows.")
        case Some(found) if types.contains(found) => None
        case Some(found) => Some(s"$option: $name is ${found.sql}, not ${types.map(_.sql).mkString(" or ")}.")
      }

    private def isAside(ordinal: Int) = (timestampName ++ ttlName).flatMap(this.ordinal).exists(_ == ordinal)

    private def ordinal(name: String): Option[Int] = ColumnNames.index(schema.fieldNames, name)
  }
}
