// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.lang.reflect.Modifier

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce.{Announcement, AnnouncementTarget, Delivery}
import stoplog.bucket.{BucketAssigner, BucketContext}
import stoplog.compact.{CompactionInput, Compactor}
import stoplog.part.BlockOutput
import stoplog.rolling.{PartStats, RollReason, RollingPolicy}
import stoplog.source.file.{FileFinder, PathRules}
import stoplog.storage.{SourceFile, SourceFiles}

/** Which options each method of the builders of files sets, and to which values. */
class BuildersSuite extends AnyFunSuite {
  import BuildersSuite._

  private val sinkMethods = Seq[(String, FileSinkBuilder => FileSinkBuilder, Map[String, String])](
    (
      "withRollingPolicy",
      _.withRollingPolicy(Policy),
      Map("rollingPolicy" -> "stoplog.BuildersSuite$Policy$")
    ),
    (
      "withEventTimeColumn",
      _.withOption("eventTimeInterval", "5m").withEventTimeColumn("at"),
      Map("eventTimeInterval" -> "5m", "eventTimeColumn" -> "at")
    ),
    ("withBucketCheckInterval", _.withBucketCheckInterval("7s"), Map("bucketCheckInterval" -> "7s")),
    (
      "withBucketAssigner",
      _.withBucketAssigner(Assigner),
      Map("bucketAssigner" -> "stoplog.BuildersSuite$Assigner$")
    ),
    ("withBucketBy", _.withBucketBy("date(at)"), Map("bucketBy" -> "date(at)")),
    ("withPartitionBy", _.withPartitionBy("day", "a,b"), Map("partitionBy" -> "day,`a,b`")),
    (
      "withPartitionOverwriteMode",
      _.withPartitionOverwriteMode("dynamic"),
      Map("partitionOverwriteMode" -> "dynamic")
    ),
    ("withReplaceWhere", _.withReplaceWhere("day = 1"), Map("replaceWhere" -> "day = 1")),
    ("withCompression", _.withCompression("zstd"), Map("compression" -> "zstd")),
    ("withPartPrefix", _.withPartPrefix("rows"), Map("partPrefix" -> "rows")),
    ("withPartSuffix", _.withPartSuffix(".jsonl"), Map("partSuffix" -> ".jsonl")),
    ("withSinkId", _.withSinkId("orders"), Map("sinkId" -> "orders")),
    ("withOnForeignQuery", _.withOnForeignQuery("adopt"), Map("onForeignQuery" -> "adopt")),
    (
      "withFinalizeOnTermination",
      _.withFinalizeOnTermination("never"),
      Map("finalizeOnTermination" -> "never")
    ),
    ("withOnRestart", _.withOnRestart("finish"), Map("onRestart" -> "finish")),
    ("withOnLostPart", _.withOnLostPart("skip"), Map("onLostPart" -> "skip")),
    ("withOnBadRow", _.withOnBadRow("reject"), Map("onBadRow" -> "reject")),
    ("withBucketComplete", _.withBucketComplete("processingTime"), Map("bucketComplete" -> "processingTime")),
    (
      "withAnnouncement",
      _.withAnnouncement("own", Target).withAnnouncement("out", "recording", Map("to" -> "x")),
      Map(
        "announce.own"    -> "stoplog.BuildersSuite$Target$",
        "announce.out"    -> "recording",
        "announce.out.to" -> "x"
      )
    ),
    ("withManifest", _.withManifest("json"), Map("manifest" -> "json")),
    ("withCompaction", _.withCompaction("smallParts"), Map("compaction" -> "smallParts")),
    (
      "withCompactAfterEpochs",
      compacting(_.withCompactAfterEpochs(50)),
      compacting("compactAfterEpochs" -> "50")
    ),
    (
      "withCompactor",
      compacting(_.withCompactor(Merging)),
      compacting("compactor" -> "stoplog.BuildersSuite$Merging$")
    ),
    ("withOnSchemaChange", _.withOnSchemaChange("fail"), Map("onSchemaChange" -> "fail")),
    ("withDurability", _.withDurability("process"), Map("durability" -> "process")),
    ("withMaxOpenParts", _.withMaxOpenParts(7), Map("maxOpenParts" -> "7")),
    ("withDistribution", _.withDistribution("byBucket"), Map("distribution" -> "byBucket")),
    ("withOption", _.withOption("maxPartSize", "64m"), Map("maxPartSize" -> "64m"))
  )

  private val sourceMethods = Seq[(String, FileSourceBuilder => FileSourceBuilder, Map[String, String])](
    ("monitorContinuously", _.monitorContinuously("10s"), Map("monitorInterval" -> "10s")),
    ("processStaticFileSet", _.monitorContinuously("10s").processStaticFileSet(), Map.empty),
    ("withMaxFilesPerTrigger", _.withMaxFilesPerTrigger(3), Map("maxFilesPerTrigger" -> "3")),
    ("withMaxBytesPerTrigger", _.withMaxBytesPerTrigger(4), Map("maxBytesPerTrigger" -> "4")),
    ("withMaxRowsPerTrigger", _.withMaxRowsPerTrigger(5), Map("maxRowsPerTrigger" -> "5")),
    ("withOnChangedFile", _.withOnChangedFile("reread"), Map("onChangedFile" -> "reread")),
    (
      "withFileEnumerator",
      _.withFileEnumerator("nonSplitting"),
      Map("fileEnumerator" -> "nonSplitting")
    ),
    (
      "withFileEnumerator",
      _.withFileEnumerator(Finder),
      Map("fileEnumerator" -> "stoplog.BuildersSuite$Finder$")
    ),
    ("withPartitionColumns", _.withPartitionColumns("day", "a,b"), Map("partitionColumns" -> "day,`a,b`")),
    ("withPathGlobFilter", _.withPathGlobFilter("*.json"), Map("pathGlobFilter" -> "*.json")),
    ("withMinFileAge", _.withMinFileAge("30s"), Map("minFileAge" -> "30s")),
    ("withStableFor", _.withStableFor("10s"), Map("stableFor" -> "10s")),
    ("withReadyMarker", _.withReadyMarker("{name}.done"), Map("readyMarker" -> "{name}.done")),
    (
      "withDates",
      _.withDates("yyyy-MM-dd", from = Some("2026-11-01"), until = Some("2026-12-01")),
      Map("datePattern" -> "yyyy-MM-dd", "dateRange" -> "2026-11-01/2026-12-01")
    ),
    (
      "withDates",
      _.withDates("yyyy/MM/dd", within = Some("7d")),
      Map("datePattern" -> "yyyy/MM/dd", "dateRange" -> "7d")
    ),
    (
      "withQuarantine",
      _.withQuarantine("/data/bad"),
      Map("quarantinePath" -> "/data/bad")
    ),
    (
      "withReadQuarantined",
      _.withReadQuarantined("/data/bad"),
      Map("readQuarantined" -> "/data/bad")
    ),
    ("withOnMergedPart", _.withOnMergedPart("skip"), Map("onMergedPart" -> "skip")),
    ("withOnReplacedPart", _.withOnReplacedPart("read"), Map("onReplacedPart" -> "read")),
    ("withOption", _.withOption("header", "true"), Map("header" -> "true"))
  )

  private val sinkOptions   = Map("path" -> "/data/out", "format" -> "json")
  private val sourceOptions = Map("path" -> "/data/in", "format" -> "csv")

  for ((method, set, options) <- sinkMethods)
    test(s"FileSinkBuilder.$method: ${shown(options)}") {
      val sink = set(FileSink.forRowFormat("/data/out", "json")).build()
      assert(sink.options().asScala.toMap === sinkOptions ++ options)
    }

  for ((method, set, options) <- sourceMethods)
    test(s"FileSourceBuilder.$method: ${shown(options)}") {
      val source = set(FileSource.forRecordStreamFormat("csv", "/data/in")).build()
      assert(source.options().asScala.toMap === sourceOptions ++ options)
    }

  test("the test covers every method of both builders") {
    assert(sinkMethods.map(_._1).toSet === methods(classOf[FileSinkBuilder]))
    assert(sourceMethods.map(_._1).toSet === methods(classOf[FileSourceBuilder]))
  }

  private def compacting(set: FileSinkBuilder => FileSinkBuilder): FileSinkBuilder => FileSinkBuilder =
    builder => set(builder.withCompaction("smallParts"))

  private def compacting(option: (String, String)): Map[String, String] =
    Map("compaction" -> "smallParts", option)

  private def shown(options: Map[String, String]): String =
    options.map { case (key, value) => s"$key=$value" }.mkString(", ")

  /** Those that answer another builder. */
  private def methods(builder: Class[_]): Set[String] =
    builder.getMethods.iterator
      .filter(method => method.getReturnType == builder && !Modifier.isStatic(method.getModifiers))
      .map(_.getName)
      .toSet
}

object BuildersSuite {

  object Policy extends RollingPolicy {
    override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason]  = None
    override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
    override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = None
  }

  object Assigner extends BucketAssigner {
    override def bucket(row: InternalRow, context: BucketContext): String = "one"
  }

  object Target extends AnnouncementTarget {
    override def deliver(announcements: Vector[Announcement]): Delivery = Delivery.Delivered
  }

  object Merging extends Compactor {
    override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit = ()
  }

  object Finder extends FileFinder {
    override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit = ()
  }
}
