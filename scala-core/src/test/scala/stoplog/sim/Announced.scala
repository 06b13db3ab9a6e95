// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import stoplog.commit.{CompactionPolicy, CompleteRule}
import stoplog.log.{LogRecord, Marker, Totals}

/** The marker that a record decides. */
private final case class Decision(seq: Long, marker: Marker)

/** What must hold of markers and manifests: none says anything that is not so, and none is forgotten.
  *
  * @param sinkId    of the query
  * @param isVisible whether readers see this file
  */
final class Announced(
    sinkId: String,
    rule: CompleteRule,
    compaction: Option[CompactionPolicy],
    isVisible: String => Boolean
) {
  private val published   = mutable.Map.empty[String, Map[String, Totals]].withDefaultValue(Map.empty)
  private val decided     = mutable.Map.empty[Decision, Map[String, Totals]]
  private val markers     = mutable.Map.empty[Decision, String]
  private val manifests   = mutable.Map.empty[String, Set[String]]
  private val all         = mutable.ArrayBuffer.empty[Announced.Counted]
  private val listedFiles = mutable.Set.empty[String]
  private val mapper      = new ObjectMapper()
  private var newest      = Option.empty[LogRecord]

  /** What it remembers of records beside the newest. */
  def fingerprint: Long = Fingerprint.of((published, decided, markers, manifests, listedFiles, all.toSet))

  /** A record decides. */
  def decided(record: LogRecord): Unit = {
    record.replace.foreach(part => published.update(part.bucket, published(part.bucket) - part.path))
    val files = record.publish.filter(_.sizeBytes > 0)
    files.foreach { part =>
      val totals = Totals(1, part.records, part.sizeBytes)
      published.update(part.bucket, published(part.bucket) + (part.finishedPath -> totals))
    }
    record.follow.manifest.foreach(manifest =>
      manifests.update(manifest.path, files.map(_.finishedPath).toSet)
    )
    if (files.nonEmpty && rule != CompleteRule.Never && record.follow.manifest.isEmpty)
      violated(s"record ${record.seq} publishes files that no manifest lists")
    record.follow.markers.foreach { marker =>
      if (record.state.open.exists(_.bucket == marker.bucket))
        violated(s"${marker.bucket} is complete, and has open parts")
      decided.update(Decision(record.seq, marker), published(marker.bucket))
    }
    newest = Some(record)
  }

  /** The newest record is called off. */
  def calledOff(record: LogRecord): Unit = {
    record.publish.foreach(part => published.update(part.bucket, published(part.bucket) - part.finishedPath))
    record.replace.foreach { part =>
      val totals = Totals(1, part.records, part.sizeBytes)
      published.update(part.bucket, published(part.bucket) + (part.path -> totals))
    }
    record.follow.manifest.foreach(manifest => manifests.remove(manifest.path))
  }

  /** Parts of the newest record are lost, and the query continues without them. */
  def skipped(seq: Long, paths: Set[String]): Unit = newest.filter(_.seq == seq).foreach { record =>
    published.keys.toVector.foreach(bucket => published.update(bucket, published(bucket) -- paths))
    record.follow.manifest
      .foreach(manifest => manifests.update(manifest.path, manifests(manifest.path) -- paths))
    decided.keys.filter(_.seq == seq).toVector.foreach(one => decided.update(one, decided(one) -- paths))
  }

  /** A file for readers is about to be there. */
  def noted(path: String, bytes: Array[Byte]): Unit =
    if (path.contains("/manifests/")) listed(path, bytes) else marked(path, bytes)

  /** Whether a manifest lists the file. */
  def isListed(file: String): Boolean = listedFiles(file)

  /** Whether the file's bucket has a marker that counts it. */
  def isMarked(file: String): Boolean = markers.keysIterator.exists(decided(_).contains(file))

  /** The rows that the newest marker of a bucket counts; 0 without one. */
  def counted(bucket: String): Long =
    all.filter(_.bucket == bucket).maxByOption(_.version).fold(0L)(_.total.rows)

  /** After a clean end. */
  def complete(notes: String => Boolean): Unit = {
    decided.keys.filterNot(markers.contains).foreach(marker => violated(s"no marker was written of $marker"))
    manifests.keys.filterNot(notes).foreach(path => violated(s"no manifest was written to $path"))
    newest.foreach(notForgotten)
  }

  private def marked(path: String, bytes: Array[Byte]): Unit = {
    val json   = mapper.readTree(bytes)
    val marker = Announced.Counted(
      json.get("bucket").asText,
      json.get("version").asInt,
      json.get("log").asText,
      json.get("seq").asLong,
      totals(json),
      totals(json.get("added"))
    )
    import marker.{bucket, version}
    val name = if (version == 1) s"$bucket/_SUCCESS" else s"$bucket/_SUCCESS.$version"
    if (path != name) violated(s"version $version of $bucket is in $path")
    if (marker.log == sinkId) markedByQuery(marker, path)
    val expected = marker.added +
      all
        .filter(earlier => earlier.bucket == bucket && earlier.version < version)
        .map(_.added)
        .foldLeft(Totals.nothing)(_ + _)
    if (marker.total != expected) violated(s"$path counts ${marker.total}, not $expected")
    if (all.exists(other => other.bucket == bucket && other.log == marker.log && other.seq == marker.seq))
      violated(s"record ${marker.seq} of ${marker.log} has a second marker, $path")
    all += marker
  }

  private def markedByQuery(marker: Announced.Counted, path: String): Unit = {
    import marker.{bucket, version}
    val decision = decided.keys
      .find(decision => decision.marker.bucket == bucket && decision.seq == marker.seq)
      .getOrElse(violated(s"$path is marked, and no record says so (I3)"))
    val ofOthers =
      all.filter(other => other.bucket == bucket && other.version < version && other.log != sinkId)
    if (version < decision.marker.version || version > decision.marker.version + ofOthers.size)
      violated(s"version ${decision.marker.version} of $bucket is called $version")
    val files = decided(decision)
    val total = (files.values ++ ofOthers.map(_.added)).foldLeft(Totals.nothing)(_ + _)
    if (marker.total != total) violated(s"$path counts ${marker.total}, not $total")
    files.keys.filterNot(isVisible).foreach(file => violated(s"$path counts $file, which is not visible"))
    if (markers.put(decision, path).nonEmpty) violated(s"$bucket gets version $version a second time")
  }

  private def totals(json: JsonNode): Totals =
    Totals(json.get("files").asLong, json.get("rows").asLong, json.get("bytes").asLong)

  private def listed(path: String, bytes: Array[Byte]): Unit = {
    val wanted = manifests.getOrElse(path, violated(s"$path is written, and no record says so (I3)"))
    val files  = mapper.readTree(bytes).get("files").findValuesAsText("path")
    if (files.size != wanted.size || !files.stream().allMatch(wanted(_)))
      violated(s"$path lists $files, not $wanted")
    wanted.filterNot(isVisible).foreach(file => violated(s"$path lists $file, which is not visible"))
    listedFiles ++= wanted
  }

  /** A run that nobody disturbs leaves no bucket without a marker that the rule calls complete. */
  private def notForgotten(record: LogRecord): Unit = record.state.live.foreach { live =>
    if (
      !waitsForCompaction(record, live.bucket) &&
      rule.isReached(live.bucket, live.lastWrittenAtMillis, record.writtenAtMillis - Slack, None)
    )
      violated(s"record ${record.seq} forgets that ${live.bucket} is complete")
  }

  /** A query that is stopped leaves its merges, and the markers behind them, to the next one. */
  private def waitsForCompaction(record: LogRecord, bucket: String): Boolean = compaction.isDefined &&
    (record.publish.exists(_.bucket == bucket) || record.state.small.count(_.bucket == bucket) > 1)

  private def violated(message: String): Nothing = throw new Violation(message)

  /** Deciding takes its time: a record says when it was written, and not when its writer looked at the clock. */
  private final val Slack = 60 * 1000L
}

private object Announced {

  /** The content of a marker. */
  final case class Counted(
      bucket: String,
      version: Int,
      log: String,
      seq: Long,
      total: Totals,
      added: Totals
  )
}
