// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Locale, Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.engine.{Condition, Scope, Unseen}
import stoplog.error.{Described, Errors, Redaction}
import stoplog.filesink.PartitionConditions
import stoplog.filesink.WriterDistribution.BatchPartitioning
import stoplog.filesource.{FileReads, SourceColumns}
import stoplog.options._

/** A table of Spark's session catalog. Reads its files like the source, and writes like the sink.
  *
  * Spark creates an instance for each lookup, including the lookup of a drop. So invalid table options are
  * reported only when the table is created, read or written.
  *
  * @param catalogs the properties in the catalog
  */
private[spark] final class SessionTable(
    columns: StructType,
    partitioned: Array[Transform],
    options: SessionTable.TableOptions,
    catalogs: Map[String, String]
) extends SupportsRead
    with SupportsWrite
    with SupportsDeleteV2
    with SupportsMetadataColumns
    with ReportsSinkMetrics
    with SinkOfQuery {
  private var sink = Option.empty[(SessionTable.SinkRequest, SinkTable[_])]

  override def name(): String =
    Described.as("stoplog table")(Described.named(options.all.getOrElse("path", "table")))

  /** All columns are nullable, as files may contain nulls. Writes are checked by [[RequiredValues]]. */
  override def schema(): StructType = SourceColumns.nullable(columns)

  override def partitioning(): Array[Transform] = partitioned

  /** The properties for `SHOW CREATE TABLE` and similar commands, which show the path separately. */
  override def properties(): JMap[String, String] =
    (catalogs - "path").map { case (key, value) => key -> Redaction.value(key, value) }.asJava

  override def metadataColumns(): Array[MetadataColumn] = Array(SourceTable.Metadata)

  override def capabilities(): JSet[TableCapability] = {
    val all = JEnumSet.of(
      TableCapability.BATCH_READ,
      TableCapability.MICRO_BATCH_READ,
      TableCapability.BATCH_WRITE,
      TableCapability.STREAMING_WRITE,
      TableCapability.TRUNCATE
    )
    all.addAll(SinkTable.OfPartitions)
    all
  }

  override def newScanBuilder(readOptions: CaseInsensitiveStringMap): ScanBuilder =
    SourceTable.ofFilesToCome(reading(readOptions), columns).newScanBuilder(readOptions)

  /** Passes the query's own columns to the log, which shows changed columns at a restart. */
  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = {
    val rows = declared.fitted(name(), info.schema())
    sinkOf(SessionTable.SinkRequest(options.toWrite(info.options), rows))
      .newWriteBuilder(new SessionTable.OfColumns(info, rows))
  }

  /** Returns `true`: an error of [[deleteWhere]] names the part of the condition that is not evaluated. */
  override def canDeleteWhere(predicates: Array[Predicate]): Boolean = true

  /** Replaces the files of whole partitions by nothing. The condition may only use partition columns. */
  override def deleteWhere(predicates: Array[Predicate]): Unit =
    PartitionConditions.of(name(), predicates.toSeq) match {
      case Condition.Constant(Condition.Truth.Yes) => deleting(Scope.Whole)
      case condition                               => deleting(Scope.Where(condition))
    }

  private def deleting(scope: Scope): Unit =
    sinkOf(SessionTable.SinkRequest(options.toWrite(CaseInsensitiveStringMap.empty), schema())).delete(scope)

  /** Compares tables, because Spark uses the table as the key of `CACHE TABLE`. */
  override def equals(other: Any): Boolean = other match {
    case table: SessionTable => known == table.known
    case _                   => false
  }

  override def hashCode: Int = known.hashCode

  private def known = (columns, partitioned.toSeq, options)

  override def metrics(): JMap[String, String] =
    synchronized(sink).fold(JMap.of[String, String]()) { case (_, table) => table.metrics() }

  override def unseen: Unseen = synchronized(sink).fold(Unseen.nothing) { case (_, table) => table.unseen }

  /** Returns the same description of a sink as [[SinkTable]]: the progress of a query contains it. */
  override def toString: String = synchronized(sink).fold(name()) { case (_, table) => table.name() }

  /** Returns read options with the table's partition columns, known before any directory exists. */
  private def reading(readOptions: JMap[String, String]): SourceOptions = {
    val read = options.toRead(readOptions)
    read.copy(content =
      read.content.copy(partitionColumns = read.content.partitionColumns.orElse(declaredPartitions))
    )
  }

  private def declared = TableColumns(columns, declaredPartitions.getOrElse(Nil), options.columnsKnownBy)

  private def declaredPartitions: Option[Seq[String]] =
    if (partitioned.nonEmpty) Some(BatchPartitioning.columns(partitioned)) else options.partitionBy

  /** Returns the same sink for all epochs of a query, because the sink holds state across epochs. */
  private def sinkOf(request: SessionTable.SinkRequest): SinkTable[_] = synchronized {
    sink.collect { case (`request`, table) => table }.getOrElse {
      val made = SinkTable.ofFiles(
        request.columns,
        partitioned,
        new CaseInsensitiveStringMap(request.options.asJava),
        declared = Some(declared)
      )
      sink = Some(request -> made)
      made
    }
  }
}

private[spark] object SessionTable {

  /** Returns the columns of files under the location, for a table created without columns. */
  def columns(properties: JMap[String, String]): StructType = {
    StoplogProvider.SparkCall.refuseReplacing()
    val options = TableOptions.of(properties)
    options.check()
    FileReads.schema(options.toRead(CaseInsensitiveStringMap.empty))
  }

  /** Creates a table. Errors: `STOPLOG_INVALID_OPTIONS`, `STOPLOG_OPTION_COLUMN`. */
  def apply(
      columns: StructType,
      partitioned: Array[Transform],
      properties: JMap[String, String]
  ): SessionTable = {
    StoplogProvider.SparkCall.refuseReplacing()
    val options = TableOptions.of(properties)
    if (StoplogProvider.SparkCall.isCreating) {
      options.check()
      BatchPartitioning.columns(partitioned)
    }
    new SessionTable(columns, partitioned, options, properties.asScala.toMap)
  }

  /** A write to the table: its options, and the columns of its rows. */
  private final case class SinkRequest(options: Map[String, String], columns: StructType)

  /** A write with the table's names for columns. */
  private[spark] final class OfColumns(info: LogicalWriteInfo, columns: StructType) extends LogicalWriteInfo {

    /** The columns of the rows that Spark passes. */
    def ofQuery: StructType = info.schema()

    override def options(): CaseInsensitiveStringMap = info.options()
    override def queryId(): String                   = info.queryId()
    override def schema(): StructType                = columns
  }

  /** The options of a table of Spark's session catalog, extracted from the catalog's properties.
    *
    * `OPTIONS (…)` have a prefix. `TBLPROPERTIES` and `writeTo(…).tableProperty(…)` have no prefix, and count
    * as options if an option with this name exists.
    *
    * @param all the options, including `path` unless Spark has yet to choose the location of a managed table
    */
  final case class TableOptions(all: Map[String, String]) {

    /** Adds the options of one read. Error: `STOPLOG_INVALID_OPTIONS`. */
    def toRead(queryOptions: JMap[String, String]): SourceOptions =
      SourceOptions.parse(over(queryOptions).asJava)

    /** Adds the options of one write. Error: `STOPLOG_INVALID_OPTIONS`. */
    def toWrite(queryOptions: JMap[String, String]): Map[String, String] =
      TableOptions.ofSink(over(queryOptions))

    /** Returns the partition columns in the sink's own option. */
    def partitionBy: Option[Seq[String]] =
      Option(SparkOptions.caseless(all.asJava).get(BucketOptions.PartitionBy.key))
        .flatMap(BucketOptions.PartitionBy.values.parse(_).toOption)

    def columnsKnownBy: TableColumns.KnownBy = {
      val format = SparkOptions.caseless(all.asJava).getOrDefault("format", "")
      if (TableOptions.OfPlaces.exists(_.equalsIgnoreCase(format))) TableColumns.KnownBy.Place
      else TableColumns.KnownBy.Name
    }

    /** Checks the options. Error: `STOPLOG_INVALID_OPTIONS`, also for names unknown to reads and writes. */
    def check(): Unit = {
      val placed = Map("path" -> "unknown") ++ all
      if (!all.keys.exists(_.equalsIgnoreCase("format")))
        throw TableOptions.refused(
          "needs its format: create it by CREATE TABLE … USING stoplog OPTIONS (format 'parquet')"
        )
      SinkOptions.parse(TableOptions.ofSink(placed))
      SourceOptions.parse(placed.asJava)
      ()
    }

    /** Overrides table options with options of a read or a write. Format and location cannot be changed.
      *
      * Error: `STOPLOG_INVALID_OPTIONS` for another format or location.
      */
    private def over(queryOptions: JMap[String, String]): Map[String, String] = {
      val (fixed, others) = SparkOptions.spelled(queryOptions).partition { case (key, _) =>
        TableOptions.Fixed.contains(key.toLowerCase(Locale.ROOT))
      }
      fixed.foreach { case (key, value) =>
        val name = key.toLowerCase(Locale.ROOT)
        if (!all.exists { case (k, v) => k.equalsIgnoreCase(name) && TableOptions.areEqual(name, v, value) })
          throw TableOptions.refused(s"has its own $name, and $key = '$value' requests another: remove $key")
      }
      val named = others.map { case (key, _) => key.toLowerCase(Locale.ROOT) }.toSet
      all.filterNot { case (key, _) => named.contains(key.toLowerCase(Locale.ROOT)) } ++ others
    }
  }

  object TableOptions {

    /** Returns whether the properties come from Spark's catalog, which always sets provider and owner. */
    def isInCatalog(properties: JMap[String, String]): Boolean = {
      val caseless = SparkOptions.caseless(properties)
      Seq(TableCatalog.PROP_PROVIDER, TableCatalog.PROP_OWNER).forall(caseless.containsKey)
    }

    /** Error: `STOPLOG_INVALID_OPTIONS` for a user-defined sink or source, or a view of a sink's state. */
    def of(properties: JMap[String, String]): TableOptions = {
      val (prefixed, plain) = SparkOptions.spelled(properties).partition { case (key, _) =>
        key.startsWith(TableCatalog.OPTION_PREFIX)
      }
      val options = prefixed.map { case (key, value) => key.drop(TableCatalog.OPTION_PREFIX.length) -> value }
      val named   = options.map { case (key, _) => key.toLowerCase(Locale.ROOT) }.toSet
      val called  = plain.filter { case (key, _) =>
        val name = key.toLowerCase(Locale.ROOT)
        known.contains(name) && !named.contains(name)
      }
      val all = (options ++ called).toMap
      all.keys.find(key => NoTables.exists(_.equalsIgnoreCase(key))).foreach { key =>
        throw refused(s"cannot have the option $key: use save, start or load with a path")
      }
      TableOptions(all)
    }

    private def ofSink(options: Map[String, String]): Map[String, String] =
      options.filterNot { case (key, _) => ofSourceAlone.contains(key.toLowerCase(Locale.ROOT)) }

    private def refused(why: String) = Errors.invalidOptions(Seq(s"a table of Spark's catalog $why."))

    /** Returns whether two values of a fixed option are equal. The catalog's path is a complete URI. */
    private def areEqual(name: String, a: String, b: String): Boolean =
      a == b || (name == "path" && qualified(a).exists(qualified(b).contains))

    /** Returns a path with its file system, if Hadoop knows the file system; `None` if this is no path. */
    private def qualified(path: String): Option[HadoopPath] =
      Try(new HadoopPath(path)).toOption.map { parsed =>
        Try(parsed.getFileSystem(SparkHadoop.configuration).makeQualified(parsed)).getOrElse(parsed)
      }

    private def names(options: Seq[Opt[_]]): Set[String] = options.map(_.key.toLowerCase(Locale.ROOT)).toSet

    private val OfPlaces = Set("csv", "text")
    private val Fixed    = Set("path", "paths", "format")
    private val NoTables =
      Seq(LogOptions.UserSink.key, ContentOptions.UserSource.key, ViewOptions.View.key)

    /** Formats of lines are also written in the charset. */
    private lazy val ofSourceAlone =
      names(SourceOptionRegistry.all) -- names(SinkOptionRegistry.all) -- names(Seq(ContentOptions.Charset))

    private lazy val known = names(SourceOptionRegistry.all) ++ names(SinkOptionRegistry.all)
  }
}
