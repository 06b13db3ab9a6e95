// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.bucket._
import stoplog.commit.{JobPolicy, SinkSettings}
import stoplog.engine.{Existing, Scope}
import stoplog.error.Errors
import stoplog.format.{Encoder, RejectedLines, RowFormats, SupportedTypes}
import stoplog.format.avro.AvroFormat
import stoplog.format.bulk.BulkSink.UserFormat
import stoplog.format.bulk.{BlockFormat, BulkFormatName, BulkSink, PartLife, SyncedFormat}
import stoplog.format.compress.Compression
import stoplog.format.orc.OrcBulk
import stoplog.format.parquet.ParquetBulk
import stoplog.format.sequence.SequenceFormat
import stoplog.options.RollingOptions.EventTimeUse
import stoplog.options.{FormatChoice, SinkOptions, SparkHadoop}
import stoplog.part.PartNaming
import stoplog.rolling.{OnCheckpointRollingPolicy, RollingPolicy}
import stoplog.stores.SinkStorage
import stoplog.util.UserObject
import stoplog.writing.OpenPartWriter.RowTimes
import stoplog.writing.{EpochPolicy, OnBadRow}

/** A sink's options resolved for the rows of one write, with all inputs of a task. Serialized to the
  * executors.
  *
  * @param schema the schema of the engine's rows
  */
private[filesink] final case class FileSinkSpec(
    storage: SinkStorage,
    schema: StructType,
    rows: FileSinkSpec.Rows,
    times: FileSinkSpec.Times,
    parts: FileSinkSpec.Parts,
    settings: SinkSettings,
    compaction: Option[CompactionSpec]
) {

  /** Returns the specification for a batch job, whose parts end with their task.
    *
    * @param within the only partitions of the rows
    */
  def forJob(existing: Existing, within: Option[PartitionFilter]): FileSinkSpec = copy(
    rows = rows.copy(format = rows.format.ofOneEpoch),
    parts = parts.copy(
      policy = JobPolicy(parts.policy),
      naming = parts.naming.copy(kind = FileSinkSpec.kindOf(existing)),
      within = within
    )
  )
}

private[filesink] object FileSinkSpec {

  /** The conversion of rows to the bytes of parts.
    *
    * @param rejects `None` if a bad row fails the query
    */
  final case class Rows(format: SinkFormat, assigner: BucketAssigner, rejects: Option[Rejects])

  /** The location and the format of rows that cannot be written.
    *
    * @param directory a directory below the sink's path, hidden from readers
    */
  final case class Rejects(directory: String, lines: RejectedLines)

  /** @param ofManifests the times of the rows, if manifests contain times
    */
  final case class Times(ofManifests: RowTimes[InternalRow], event: EventTimes)

  /** @param within the only partitions of the rows; `None` for all partitions
    */
  final case class Parts(
      policy: RollingPolicy,
      naming: PartNaming,
      maxOpen: Int,
      within: Option[PartitionFilter] = None
  )

  private def kindOf(existing: Existing): PartNaming.Kind = existing match {
    case Existing.Keep | Existing.Replace(Scope.Whole)                      => PartNaming.Kind.Added
    case Existing.Replace(Scope.Dynamic) | Existing.Replace(_: Scope.Where) => PartNaming.Kind.Replacing
  }

  /** @param before the columns of the preceding run; `None` for rows in their own order
    *
    * Errors: invalid formats, bucket assigners and user classes.
    */
  def of(
      options: SinkOptions,
      schema: StructType,
      storage: SinkStorage,
      before: Option[StructType]
  ): FileSinkSpec = {
    val session = SparkSession.active
    options.parts.compaction.foreach(_ => storage.refuseCompaction(SparkHadoop.of(session)))
    val rows    = dataColumns(options.buckets.bucketing, schema)
    val known   = before.fold(rows.schema)(RecordedColumns.continued(options, _, rows.schema))
    val columns = if (RecordedSettings.followColumns(options.output.format)) rows.arranged(known) else rows
    distinctNames(options.output.format, schema)
    val format   = formatOf(options, columns, session)
    val assigner = assignerOf(options.buckets.bucketing, schema, session)
    val open     = if (endsWithEpoch(options, format)) format.ofOneEpoch else format
    val naming   = PartNaming(options.parts.prefix, options.parts.suffix.getOrElse(format.suffix))
    refuseNames(options, storage.bucketProblem(_, naming))
    FileSinkSpec(
      storage,
      schema,
      Rows(open, assigner, rejectsOf(options, schema, format, session)),
      Times(
        SinkFollowUps.times(options, schema).getOrElse(RowTimes.NoTimes),
        EventTimes.of(options, schema)
      ),
      Parts(
        storage.policy(
          if (format.mayStayOpen) options.rolling.policy else EpochPolicy(options.rolling.policy)
        ),
        naming,
        options.parts.maxOpen
      ),
      RecordedSettings.of(options, schema, known, format.promised, storage),
      options.parts.compaction.map(CompactionSpec.of(_, format))
    )
  }

  /** Rejects bad-row files for formats that never spool rows, such as encrypted formats. */
  private def rejectsOf(
      options: SinkOptions,
      schema: StructType,
      format: SinkFormat,
      session: SparkSession
  ): Option[Rejects] = options.rejects.onBadRow match {
    case OnBadRow.Fail                          => None
    case OnBadRow.Reject if !format.mayStayOpen => throw Errors.invalidOptions(Seq(RejectsInClear))
    case OnBadRow.Reject                        =>
      Some(Rejects(options.rejects.path, new RejectedLines(schema, timeZone(session))))
  }

  /** Checks column names in formats with named columns. User-defined formats are not checked. */
  private def distinctNames(format: FormatChoice, schema: StructType): Unit = format match {
    case _: FormatChoice.UserEncoder | _: FormatChoice.UserBulk => ()
    case FormatChoice.Bulk(BulkFormatName.SequenceFile)         => ()
    case named                                                  =>
      SupportedTypes.distinctNames(named.toMap.values.head, schema, SQLConf.get.caseSensitiveAnalysis)
  }

  private final val RejectsInClear =
    "onBadRow = 'reject' writes rows as lines of JSON that are not encrypted, and the files of this format " +
      "are encrypted, or must be the only files with their rows: set onBadRow to fail, and filter such rows."

  private def timeZone(session: SparkSession): String = session.conf.get("spark.sql.session.timeZone")

  /** Returns whether parts end with their epoch. If known in advance, rows need not wait for others. */
  private def endsWithEpoch(options: SinkOptions, format: SinkFormat): Boolean =
    options.rolling.policy match {
      case _: OnCheckpointRollingPolicy => true
      case _                            => !format.mayStayOpen
    }

  /** Returns the columns in the files. */
  def dataColumns(bucketing: Bucketing, schema: StructType): DataColumns = bucketing match {
    case Bucketing.PartitionColumns(names, _) => DataColumns.without(PartitionColumns.of(schema, names))
    case Bucketing.FromColumn(name)           =>
      DataColumns.without(schema, Seq(ColumnBucketAssigner.ordinal(schema, name)))
    case _ => DataColumns.all(schema)
  }

  /** Returns the format for rows with these columns. Errors: invalid formats. */
  def formatOf(options: SinkOptions, columns: DataColumns, session: SparkSession): SinkFormat = {
    val compression            = Compression.named(options.output.compression).getOrElse(Compression.None)
    def rows(encoder: Encoder) = SinkFormat.Rows(encoder, compression, columns, options.rejects.onBadRow)
    def blocks(kind: String, format: BlockFormat) =
      SinkFormat.Blocks(
        BulkSink(kind, columns.schema, format, PartLife.ManyEpochs),
        columns,
        options.rejects.onBadRow
      )
    options.output.format match {
      case FormatChoice.Rows(name) =>
        rows(RowFormats.encoder(name, columns.schema, options.output.passThrough, timeZone(session)))
      case FormatChoice.UserEncoder(name) => rows(UserObject.load(name, classOf[Encoder], "format"))
      case FormatChoice.UserBulk(name)    => blocks(UserFormat.Kind, UserFormat(name))
      case FormatChoice.Bulk(name)        => named(name, columns, options, session)
    }
  }

  private def named(
      name: BulkFormatName,
      columns: DataColumns,
      options: SinkOptions,
      session: SparkSession
  ): SinkFormat = {
    def blocks(format: BlockFormat) =
      SinkFormat.Blocks(
        BulkSink(name.word, columns.schema, format, PartLife.ManyEpochs),
        columns,
        options.rejects.onBadRow
      )
    def synced(format: SyncedFormat) = SinkFormat.Synced(format, columns)
    name match {
      case BulkFormatName.Parquet =>
        blocks(
          ParquetBulk(
            columns.schema,
            options.output.passThrough,
            SQLConf.get,
            SparkHadoop.of(session)
          )
        )
      case BulkFormatName.Orc =>
        blocks(
          OrcBulk(
            columns.schema,
            options.output.passThrough,
            SQLConf.get,
            SparkHadoop.of(session)
          )
        )
      case BulkFormatName.Avro => synced(AvroFormat(columns.schema, options.output.passThrough, session))
      case BulkFormatName.SequenceFile =>
        synced(SequenceFormat(columns.schema, options.output.passThrough, session))
    }
  }

  /** Returns the assigner of buckets. Errors: invalid bucket assigners and user classes. */
  def assignerOf(bucketing: Bucketing, schema: StructType, session: SparkSession): BucketAssigner = {
    val assigner = bucketing match {
      case Bucketing.DateTime(pattern, zone, column) => new DateTimeBucketAssigner(pattern, zone, column)
      case Bucketing.BasePath                        => new BasePathBucketAssigner
      case Bucketing.Expression(sql)                 =>
        new ExpressionBucketAssigner(BucketExpression.bind(session, sql, schema))
      case Bucketing.FromColumn(name)              => ColumnBucketAssigner.bind(schema, name)
      case Bucketing.PartitionColumns(names, zone) =>
        PartitionColumnsBucketAssigner.bind(session, PartitionColumns.of(schema, names), zone)
      case Bucketing.UserAssigner(name) => UserObject.load(name, classOf[BucketAssigner], "bucketAssigner")
    }
    assigner.open(schema) // fails on the driver if the assigner is invalid
    assigner
  }

  /** Rejects invalid names before any row: the names of all parts, and a pattern of buckets.
    *
    * @param problem returns the storage's problem with a bucket, if any
    *
    * Errors: `STOPLOG_PATH_NOT_WRITABLE`, `STOPLOG_INVALID_OPTIONS`.
    */
  def refuseNames(options: SinkOptions, problem: String => Option[String]): Unit = {
    problem(BucketId.Base).foreach(why => throw Errors.pathNotWritable(options.output.path, why))
    options.buckets.bucketing match {
      case Bucketing.DateTime(pattern, zone, _) =>
        val sample = new DateTimeBucketAssigner(pattern, zone).bucketAt(0)
        problem(sample).foreach(why => throw Errors.bucketFormat(pattern, s"it returns '$sample', and $why"))
      case _ => ()
    }
  }

  /** The event times of the rows of a write.
    *
    * @param column   the column for assigners; `None` if rows have no event time
    * @param ofPolicy the times for the rolling policy, if the policy uses times
    */
  private[stoplog] final case class EventTimes(column: Option[ColumnTimes], ofPolicy: RowTimes[InternalRow])

  private[stoplog] object EventTimes {

    /** Errors: `STOPLOG_OPTION_COLUMN`. */
    def of(options: SinkOptions, schema: StructType): EventTimes = {
      val column = ColumnTimes.ofEvents(options.rolling.eventTimeColumn, schema)
      EventTimes(
        column,
        options.rolling.eventTimeUse match {
          case EventTimeUse.Required => column.getOrElse(throw Errors.eventTimeMissing())
          case EventTimeUse.Optional => column.getOrElse(RowTimes.NoTimes)
          case EventTimeUse.Unused   => RowTimes.NoTimes
        }
      )
    }
  }
}
