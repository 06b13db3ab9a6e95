// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import stoplog.commit.{CompleteRule, FollowUps, Manifests}
import stoplog.log.MarkerForm

/** Markers and manifests of the matrix' query, and what is wrong with those that a reader finds. */
object CompletionCheck {

  /** Every bucket is idle in the long pauses of the query, and then gets more rows. */
  def followUps(place: Place, logName: String = Place.SinkId): FollowUps = FollowUps(
    Place.SinkId,
    CompleteRule.ByIdleness(30 * 60 * 1000L),
    MarkerForm.Json,
    Manifests.Json(None, None),
    place.notes(logName)
  )

  def isMarker(name: String): Boolean = name.matches("_SUCCESS(\\.\\d+)?")

  /** Each file is in one manifest, and each marker counts what the manifests up to it list. */
  def problems(place: Place, files: Vector[String]): Vector[String] = {
    val manifests =
      files.filter(_.startsWith(s"_stoplog/${Place.SinkId}/manifests/")).sorted.map(json(place, _))
    val listed    = left(manifests).map(_.get("path").asText)
    val markers   = files.filter(file => isMarker(file.drop(file.lastIndexOf('/') + 1)))
    val announced = for {
      (manifest, n) <- manifests.zipWithIndex
      completed     <- manifest.get("completed").elements.asScala
    } yield {
      val bucket  = completed.get("bucket").asText
      val version = completed.get("version").asInt
      val counted = left(manifests.take(n + 1)).filter(_.get("bucket").asText == bucket)
      markerPath(bucket, version) -> counts(counted)
    }
    val visible = files.filter(file => Oracle.isShown(file) && place.described(file).isEmpty)
    listed.diff(visible).map(file => s"$file is in a manifest too many") ++
      visible.diff(listed).map(file => s"$file is in no manifest") ++
      announced.flatMap { case (path, wanted) => wrong(place, markers, path, wanted) } ++
      markers.diff(announced.map(_._1)).map(path => s"$path is in no manifest")
  }

  /** The marker of a job that has been carried out counts the files that its manifest lists. */
  def problemsOfJob(place: Place, buckets: Vector[String], name: String): Vector[String] = {
    val files    = place.files()
    val manifest = s"_stoplog/${Place.SinkId}/manifests/$name.manifest"
    if (!files.contains(manifest)) Vector(s"there is no $manifest")
    else {
      val listed = filesOf(json(place, manifest))
      buckets.flatMap { bucket =>
        val counted = listed.filter(_.get("bucket").asText == bucket)
        wrong(place, files, markerPath(bucket, 1), counts(counted)) ++
          Option.when(files.contains(markerPath(bucket, 2)))(s"'$bucket' was marked twice")
      }
    }
  }

  private def wrong(place: Place, files: Vector[String], path: String, wanted: Seq[Long]): Vector[String] =
    if (!files.contains(path)) Vector(s"there is no $path")
    else {
      val marker = json(place, path)
      val found  = Seq("files", "rows", "bytes").map(marker.get(_).asLong)
      if (found == wanted) Vector.empty else Vector(s"$path says $found, not $wanted")
    }

  private def filesOf(manifest: JsonNode): Vector[JsonNode] = manifest.get("files").elements.asScala.toVector

  /** The files that are still there: small ones may have been merged since. */
  private def left(manifests: Vector[JsonNode]): Vector[JsonNode] = {
    val replaced = manifests.flatMap(_.path("replaced").elements.asScala).map(_.asText).toSet
    manifests.flatMap(filesOf).filterNot(file => replaced(file.get("path").asText))
  }

  private def counts(files: Vector[JsonNode]): Seq[Long] =
    Seq(files.size.toLong, files.map(_.get("rows").asLong).sum, files.map(_.get("bytes").asLong).sum)

  private def markerPath(bucket: String, version: Int): String = {
    val name = if (version == 1) "_SUCCESS" else s"_SUCCESS.$version"
    if (bucket.isEmpty) name else s"$bucket/$name"
  }

  private def json(place: Place, file: String): JsonNode = mapper.readTree(place.read(file))

  private val mapper = new ObjectMapper()
}
