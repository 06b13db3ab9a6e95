// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import java.util.{Map => JMap, UUID}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.util.VersionInfo
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.Dataset

import stoplog.bucket.{BucketAssigner, BucketContext, BucketId, Bucketing, DateTimeBucketAssigner}
import stoplog.checkpoint.{CheckpointFiles, CheckpointPlace}
import stoplog.commit.{CompleteRule, JobCommit, OneStart, SinkIdentity, SinkSettings, StartCheck}
import stoplog.engine.JarVersions
import stoplog.format.compress.Compression
import stoplog.log.{LogRecord, SinkState}
import stoplog.options.{RecoveryOptions, SinkOptions, SparkHadoop}
import stoplog.part.PartNaming
import stoplog.preflight.Finding.{Ok, Warning, tried}
import stoplog.preflight.NameChecks.Versions
import stoplog.preflight.{ExampleName, Finding, NameChecks, Preflight}
import stoplog.storage.s3.S3Library
import stoplog.stores.SinkStorage

/** Checks a sink before its query starts, with the same code as the query. */
private[stoplog] object SinkCheck {

  /** Checks options from a user, which may be invalid. */
  def ofOptions(rows: DataFrame, options: JMap[String, String]): Preflight =
    tried("options")(SinkOptions.parse(options)).fold(
      wrong => Preflight(pathIn(options), Vector(wrong), Vector.empty),
      of(rows, _)
    )

  def of(rows: DataFrame, options: SinkOptions): Preflight = {
    val before = SparkSession.getActiveSession
    SparkSession.setActiveSession(rows.sparkSession)
    try new SinkCheck(rows, options).result
    finally before.fold(SparkSession.clearActiveSession())(SparkSession.setActiveSession)
  }

  private val FirstRows = 100

  private object CurrentTime extends BucketContext {
    override def processingTimeMillis: Long = System.currentTimeMillis()
  }

  private def pathIn(options: JMap[String, String]): String =
    options.asScala.collectFirst { case (key, path) if key.equalsIgnoreCase("path") => path }.getOrElse("")
}

private final class SinkCheck(rows: DataFrame, requested: SinkOptions) {
  private val session = SparkSession.active
  private val schema  = rows.schema
  private val storage = tried("path")(FileEngineSink.storageOf(requested))
  private val tests   =
    storage.flatMap(there => tried("storage")(there.trial(scratch, requested.rolling.policy)))
  // Read after the trial of the storage, because some storages can be read only after a trial.
  private val newest  = tests.flatMap(_ => storage).flatMap(there => tried("sinkId")(newestOf(there)))
  private val options = newest.fold(_ => requested, RecordedBuckets.resumed(requested, _))
  private val columns = tried("columns")(FileSinkSpec.dataColumns(options.buckets.bucketing, schema))
  private val format  =
    columns.flatMap(each => tried("format")(FileSinkSpec.formatOf(options, each, session)))
  private val assigner =
    columns.flatMap(_ =>
      tried("buckets") {
        FileSinkSpec.refuseNames(options, storageProblem)
        FileSinkSpec.assignerOf(options.buckets.bucketing, schema, session)
      }
    )
  private val found = assigner.map(each => tried("buckets")(firstBuckets(each)))
  private val seen  = found.toOption.flatMap(_.toOption).getOrElse(Vector.empty)

  // What a start creates, so that no rule of a start is missing here.
  private val spec = for {
    there <- storage
    _     <- tests
    last  <- newest
    made  <- tried("start")(FileSinkSpec.of(options, schema, there, last.flatMap(RecordedColumns.of(_))))
  } yield made

  def result: Preflight = {
    val findings = Vector(
      settings
    ) ++ columns.left.toOption ++ ofFormat ++ ofRolling ++ ofBuckets ++ ofReaders ++ ofDistribution ++
      ofCompletion ++ ofCompaction ++ ofNames ++ tests
        .fold(Vector(_), identity) ++ ofHosts ++ ofLogs ++ SinkAnnouncements.findings(requested) :+ versions
    Preflight(options.output.path, findings ++ ofStart(findings), names)
  }

  /** Returns the problem of a start that no other finding names. */
  private def ofStart(others: Vector[Finding]): Vector[Finding] =
    (spec.left.toOption ++ found.toOption.flatMap(_.left.toOption)).toVector
      .distinctBy(_.what)
      .filterNot(problem => others.exists(_.what == problem.what))

  private def settings: Finding = {
    val set = options.toMap.size
    Ok("options", s"${if (set == 1) "1 option is" else s"$set options are"} set and valid.")
  }

  /** Returns no finding for the format if columns are missing, which is a separate finding. */
  private def ofFormat: Option[Finding] = columns.toOption.map { found =>
    format.fold(
      identity,
      kind =>
        Ok("format", s"Files ${kind.suffix} can store the columns ${found.schema.fieldNames.mkString(", ")}.")
    )
  }

  private def ofRolling: Option[Finding] =
    tried("rollingPolicy")(FileSinkSpec.EventTimes.of(options, schema)).left.toOption

  private def ofBuckets: Option[Finding] = columns.toOption.map { found =>
    assigner.fold(
      identity,
      {
        case by if seen.isEmpty =>
          NameChecks.columnTwice(example, found.schema.fieldNames.toSeq).getOrElse {
            Ok(
              "buckets",
              s"By $by. A row whose bucket is outside of the path, or hidden from readers, fails the query."
            )
          }
        case _ => NameChecks.buckets(seen, found.schema.fieldNames.toSeq, storageProblem)
      }
    )
  }

  /** Returns no finding if only rows determine the columns, and no rows exist. */
  private def ofReaders: Option[Finding] = (seen, options.buckets.bucketing) match {
    case (Vector(), Bucketing.Expression(_) | Bucketing.FromColumn(_) | Bucketing.UserAssigner(_)) => None
    case _ => assigner.toOption.map(_ => NameChecks.readers(seen ++ example))
  }

  private def ofDistribution: Option[Finding] =
    tried("distribution")(WriterDistribution.of(options, schema)).fold(
      Some(_),
      _.map(_ =>
        Ok("distribution", s"Spark can distribute the rows to writers by ${options.parts.distribution}.")
      )
    )

  private def ofCompletion: Option[Finding] = tried("bucketComplete") {
    SinkFollowUps.times(options, schema)
    SinkFollowUps.rule(options, schema)
  }.fold(
    Some(_),
    {
      case CompleteRule.Never => None
      case _                  => Some(Ok("bucketComplete", "The sink can determine the end of a bucket."))
    }
  )

  private def ofCompaction: Option[Finding] = for {
    there   <- storage.toOption
    _       <- options.parts.compaction
    problem <- tried("compaction")(there.refuseCompaction(SparkHadoop.configuration)).left.toOption
  } yield problem

  /** Requires tasks in other processes than the driver, and a path that passed its trial. */
  private def ofHosts: Option[Finding] = for {
    there   <- storage.toOption
    _       <- tests.toOption
    context <- Option(session.sparkContext).filterNot(_.isLocal)
  } yield tried("hosts")(HostTrial.run(there.as(scratch), context)).fold(
    identity,
    tasks => Ok("hosts", s"$tasks tasks on the executors see the same path as the driver.")
  )

  private def ofNames: Vector[Finding] = {
    val suffix = format.toOption.map { found =>
      val compression = Compression.named(options.output.compression).fold("")(_.suffix)
      NameChecks.suffix(options.parts.suffix, found.suffix, compression)
    }
    suffix.toVector :+ ofCheckpoint
  }

  private def ofCheckpoint: Finding = tried("checkpoint") {
    options.checkpointLocation.foreach(
      CheckpointPlace.refuse(options.output.path, _, SparkHadoop.configuration)
    )
  }.fold(identity, _ => NameChecks.checkpoint(options.checkpointLocation))

  private def ofLogs: Vector[Finding] = (for {
    there   <- storage
    _       <- tests
    content <- columns.map { found =>
      RecordedSettings.content(options, found.schema, format.fold(_ => "", _.promised))
    }
  } yield Vector(newest.map(owner), tried("neighbours")(neighbours(there, content))).map(_.merge))
    .getOrElse(Vector.empty)

  private def owner(newest: Option[LogRecord]): Finding = {
    val sinkId = options.recovery.sinkId
    newest.map(_.state) match {
      case None =>
        def unwritten = Ok("sinkId", s"No query has written here as $sinkId yet.")
        options.checkpointLocation.fold[Finding](unwritten)(started(_, None, _ => unwritten))
      case Some(log) if !rows.isStreaming && options.checkpointLocation.isEmpty =>
        tried("sinkId")(
          spec.foreach(each => RecordedBuckets.refuseOtherZone(each.settings, newest, options.output.path))
        ).fold(
          identity,
          _ =>
            Ok(
              "sinkId",
              s"The log of $sinkId belongs to query ${log.queryId}. A batch job has a separate log."
            )
        )
      case Some(log) =>
        options.checkpointLocation.fold[Finding](
          Warning(
            "sinkId",
            s"The log of $sinkId belongs to query ${log.queryId}. A query with another checkpoint is " +
              "rejected.",
            "Use that query's checkpoint, or set another sinkId."
          )
        )(started(_, Some(log), resumed(log, _)))
    }
  }

  /** Returns the result of a start from this checkpoint.
    *
    * @param accepted returns the finding of an accepted start, from the id of the checkpoint's query
    */
  private def started(
      checkpoint: String,
      log: Option[SinkState],
      accepted: Option[String] => Finding
  ): Finding = {
    import options.recovery.{onForeignQuery, sinkId}
    val queryId   = CheckpointFiles.queryId(Some(checkpoint), SparkHadoop.configuration)
    val identity  = SinkIdentity(options.output.path, sinkId, queryId.getOrElse("of a new checkpoint"))
    val onForeign = new OneStart(onForeignQuery, run = "").now(log)
    tried("sinkId") {
      val planned = CheckpointFiles.next(checkpoint, SparkHadoop.configuration)
      new StartCheck(identity, () => storage.fold(_ => Vector.empty, _.log.all()))
        .preview(log, spec.toOption.map(_.settings), onForeign, planned)
    }.fold((refused: Finding) => refused, _ => accepted(queryId))
  }

  private def resumed(log: SinkState, queryId: Option[String]): Finding = {
    val sinkId = options.recovery.sinkId
    if (queryId.contains(log.queryId))
      Ok("sinkId", s"The log of $sinkId belongs to the checkpoint's query ${log.queryId}, which resumes.")
    else
      Warning(
        "sinkId",
        s"The log of $sinkId belongs to query ${log.queryId}, and this query takes over the log.",
        "Make sure that the former query never starts again, and remove onForeignQuery afterwards."
      )
  }

  private def neighbours(there: SinkStorage, content: String): Finding = {
    val others = there.sinkIds("").filter { id =>
      id != options.recovery.sinkId && !id
        .startsWith(JobCommit.Prefix) && RecoveryOptions.SinkId.values.parse(id).isRight
    }
    val contents = for {
      id     <- others
      newest <- there.as(id).log.newest()
    } yield id -> newest.state.settings.get(SinkSettings.ContentKey)
    NameChecks.neighbours(content, contents.toMap)
  }

  private def versions: Finding = {
    val loader = session.sparkContext.hadoopConfiguration.getClassLoader
    Versions.of(
      session.version,
      Seq(
        "stoplog" -> JarVersions.core,
        "Hadoop"  -> VersionInfo.getVersion,
        "Parquet" -> org.apache.parquet.Version.VERSION_NUMBER
      ) ++ S3Library.version(loader).map("hadoop-aws" -> _)
    )
  }

  private def names: Vector[ExampleName] = (for {
    _     <- format
    there <- storage
  } yield ExampleName.of(options.recovery.sinkId, naming, there.names, bucket)).getOrElse(Vector.empty)

  private def naming: PartNaming =
    PartNaming(options.parts.prefix, options.parts.suffix.orElse(format.map(_.suffix).toOption).mkString)

  private def storageProblem(bucket: String): Option[String] =
    storage.toOption.flatMap(_.bucketProblem(bucket, naming))

  /** Returns the bucket of the first row, the current bucket, or a placeholder. */
  private def bucket: String = seen.headOption.getOrElse(example.headOption.getOrElse("<bucket>"))

  /** Returns the buckets known without any row. */
  private def example: Seq[String] = options.buckets.bucketing match {
    case Bucketing.BasePath                   => Seq(BucketId.Base)
    case Bucketing.PartitionColumns(names, _) => Seq(names.map(name => s"$name=…").mkString("/"))
    case Bucketing.DateTime(pattern, zone, _) =>
      Seq(new DateTimeBucketAssigner(pattern, zone).bucketAt(SinkCheck.CurrentTime.processingTimeMillis))
    case Bucketing.Expression(_) | Bucketing.FromColumn(_) | Bucketing.UserAssigner(_) => Nil
  }

  private def firstBuckets(assigner: BucketAssigner): Vector[String] =
    if (rows.isStreaming) Vector.empty
    else firstRows.map(assigner.bucket(_, SinkCheck.CurrentTime))

  private def firstRows: Vector[InternalRow] = rows.limit(SinkCheck.FirstRows) match {
    case classic: Dataset[_] => classic.queryExecution.executedPlan.executeCollect().toVector
    case _                   => Vector.empty
  }

  private def newestOf(there: SinkStorage): Option[LogRecord] = {
    val log   = there.log
    val found = log.newest()
    log.refuseGap(there.path, there.sinkId)
    found
  }

  private def scratch: String = s"preflight-${UUID.randomUUID()}"
}
