// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Locale, Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.{Errors, Redaction}
import stoplog.filesink.WriterDistribution.BatchPartitioning
import stoplog.filesource.{FileReads, SourceColumns}
import stoplog.options._

/** A table of Spark's session catalog: reads its files as the source does, and writes as the sink does.
  *
  * Spark makes one whenever it looks a table up, also to drop it. So what is wrong with a table's options is told when
  * it is created, and then when it is read or written.
  */
private[spark] final class SessionTable(
    columns: StructType,
    partitioned: Array[Transform],
    options: SessionTable.TableOptions
) extends SupportsRead
    with SupportsWrite
    with SupportsMetadataColumns
    with ReportsSinkMetrics {
  private var sink = Option.empty[(Map[String, String], SinkTable[_])]

  override def name(): String = Redaction.text(s"stoplog ${options.all.getOrElse("path", "table")}")

  /** No file is held to `NOT NULL`, and Spark would fold what it is sure of. Writes of the table are: [[RequiredValues]]. */
  override def schema(): StructType = SourceColumns.nullable(columns)

  override def partitioning(): Array[Transform] = partitioned

  override def metadataColumns(): Array[MetadataColumn] = Array(SourceTable.Metadata)

  override def capabilities(): JSet[TableCapability] = JEnumSet.of(
    TableCapability.BATCH_READ,
    TableCapability.MICRO_BATCH_READ,
    TableCapability.BATCH_WRITE,
    TableCapability.STREAMING_WRITE,
    TableCapability.TRUNCATE
  )

  override def newScanBuilder(asked: CaseInsensitiveStringMap): ScanBuilder =
    SourceTable.ofFilesToCome(reading(asked), columns).newScanBuilder(asked)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    sinkOf(options.toWrite(info.options)).newWriteBuilder(info)

  override def metrics(): JMap[String, String] =
    synchronized(sink).fold(JMap.of[String, String]()) { case (_, table) => table.metrics() }

  /** What directories will tell, the table knows before there are any. */
  private def reading(asked: JMap[String, String]): SourceOptions = {
    val read = options.toRead(asked)
    val told = read.content.partitionColumns.orElse {
      if (partitioned.nonEmpty) Some(BatchPartitioning.columns(partitioned)) else options.partitionBy
    }
    read.copy(content = read.content.copy(partitionColumns = told))
  }

  /** The same one for all epochs of a query: it is what remembers from one to the next. */
  private def sinkOf(asked: Map[String, String]): SinkTable[_] = synchronized {
    sink.collect { case (`asked`, table) => table }.getOrElse {
      val made = SinkTable.ofFiles(columns, partitioned, new CaseInsensitiveStringMap(asked.asJava))
      sink = Some(asked -> made)
      made
    }
  }
}

private[spark] object SessionTable {

  /** The columns of the files under the location, for a table that is created without any. */
  def columns(properties: JMap[String, String]): StructType = {
    StoplogProvider.SparkCall.refuseReplacing()
    val options = TableOptions.of(properties)
    options.check()
    FileReads.schema(options.toRead(CaseInsensitiveStringMap.empty))
  }

  /** Errors: `STOPLOG_INVALID_OPTIONS`, `STOPLOG_PARTITION_COLUMNS`. */
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
    new SessionTable(columns, partitioned, options)
  }

  /** The options of a table of Spark's session catalog, among the properties that the catalog hands out.
    *
    * `OPTIONS (…)` come with a prefix. `TBLPROPERTIES` and `writeTo(…).tableProperty(…)` come as they are: those that
    * are called like an option are options.
    *
    * @param all also `path`, unless Spark has yet to choose the place of a managed table
    */
  final case class TableOptions(all: Map[String, String]) {

    /** With the options of one read. */
    def toRead(asked: JMap[String, String]): SourceOptions = SourceOptions.parse(over(asked).asJava)

    /** With the options of one write. */
    def toWrite(asked: JMap[String, String]): Map[String, String] = TableOptions.ofSink(over(asked))

    /** The columns by which the sink's own option lays out directories. */
    def partitionBy: Option[Seq[String]] =
      Option(SparkOptions.caseless(all.asJava).get(BucketOptions.PartitionBy.key))
        .flatMap(BucketOptions.PartitionBy.values.parse(_).toOption)

    /** Error: `STOPLOG_INVALID_OPTIONS` for what neither a read nor a write can take. */
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

    /** The table's own options over those of a read or a write, which cannot change them. */
    private def over(asked: JMap[String, String]): Map[String, String] = {
      val (fixed, others) = SparkOptions.spelled(asked).partition { case (key, _) =>
        TableOptions.Fixed.contains(key.toLowerCase(Locale.ROOT))
      }
      fixed.foreach { case (key, value) =>
        if (
          key.equalsIgnoreCase("format") && !all.exists { case (k, v) =>
            k.equalsIgnoreCase(key) && v == value
          }
        )
          throw TableOptions.refused(
            s"has a format of its own, and $key = '$value' is asked for: leave it out"
          )
      }
      val named = others.map { case (key, _) => key.toLowerCase(Locale.ROOT) }.toSet
      all.filterNot { case (key, _) => named.contains(key.toLowerCase(Locale.ROOT)) } ++ others
    }
  }

  object TableOptions {

    /** Spark's own catalog tells so with what it knows of each of its tables. */
    def isInCatalog(properties: JMap[String, String]): Boolean = {
      val caseless = SparkOptions.caseless(properties)
      Seq(TableCatalog.PROP_PROVIDER, TableCatalog.PROP_OWNER).forall(caseless.containsKey)
    }

    /** Error: `STOPLOG_INVALID_OPTIONS` for an own sink or source, and for a view of a sink's state. */
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

    private def names(options: Seq[Opt[_]]): Set[String] = options.map(_.key.toLowerCase(Locale.ROOT)).toSet

    private val Fixed    = Set("path", "format")
    private val NoTables =
      Seq(LogOptions.UserSink.key, ContentOptions.UserSource.key, ViewOptions.View.key)

    private lazy val ofSourceAlone = names(SourceOptionRegistry.all) -- names(SinkOptionRegistry.all)
    private lazy val known         = names(SourceOptionRegistry.all) ++ names(SinkOptionRegistry.all)
  }
}
