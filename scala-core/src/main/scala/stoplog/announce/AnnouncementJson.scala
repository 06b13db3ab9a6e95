// SPDX-License-Identifier: Apache-2.0
package stoplog.announce

import java.io.StringWriter
import java.time.Instant
import java.time.format.DateTimeParseException

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.core.{JsonFactory, JsonGenerator, JsonProcessingException}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** The JSON of announcements: the payload of targets, with the entries of the files in manifests. The fields
  * are described in `docs/beyond-files/announcement-targets.md`.
  */
object AnnouncementJson {

  /** Returns one JSON object without line feeds. */
  def text(announcement: Announcement): String = {
    val text = new StringWriter()
    Using.resource(factory.createGenerator(text)) { json =>
      json.writeStartObject()
      writeHead(announcement, json)
      writeChange(announcement.change, json)
      json.writeEndObject()
    }
    text.toString
  }

  /** Parses the result of [[text]]; unknown fields are ignored.
    *
    * Throws `IllegalArgumentException` if the text is not an announcement of a known format.
    */
  def parse(text: String): Announcement =
    try {
      val json = mapper.readTree(text)
      if (required(json, "format").asInt != Format) unreadable(s"the format is ${json.get("format")}")
      val log = LogId(required(json, "log").asText, required(json, "identity").asText)
      Announcement(
        AnnouncementId(log, required(json, "sequence").asLong, required(json, "number").asInt),
        required(json, "path").asText,
        required(json, "sinkId").asText,
        change(json),
        Instant.parse(required(json, "decidedAt").asText).toEpochMilli,
        Option(json.get("epoch")).map(_.asLong)
      )
    } catch {
      case e: JsonProcessingException => unreadable(e.getOriginalMessage)
      case e: DateTimeParseException  => unreadable(e.getMessage)
    }

  /** Writes the entry of a file in an announcement or in a manifest. */
  private[stoplog] def writeFile(bucket: String, file: AnnouncedFile, json: JsonGenerator): Unit = {
    json.writeStartObject()
    json.writeStringField("path", file.path)
    json.writeStringField("bucket", bucket)
    file.rows.foreach(json.writeNumberField("rows", _))
    json.writeNumberField("bytes", file.bytes)
    file.times.foreach { times =>
      json.writeStringField("min", times.min)
      json.writeStringField("max", times.max)
    }
    json.writeEndObject()
  }

  /** Writes the entry of a complete bucket in an announcement or in a manifest. */
  private[stoplog] def writeCompleted(bucket: String, version: Int, json: JsonGenerator): Unit = {
    json.writeStartObject()
    json.writeStringField("bucket", bucket)
    json.writeNumberField("version", version)
    json.writeEndObject()
  }

  private def writeHead(announcement: Announcement, json: JsonGenerator): Unit = {
    import announcement.id
    json.writeNumberField("format", Format)
    json.writeStringField("id", id.toString)
    json.writeStringField("log", id.log.name)
    json.writeStringField("identity", id.log.identity)
    json.writeNumberField("sequence", id.sequence)
    json.writeNumberField("number", id.number)
    json.writeStringField("kind", announcement.change.word)
    json.writeStringField("path", announcement.path)
    json.writeStringField("sinkId", announcement.sinkId)
    announcement.change.bucket.foreach(json.writeStringField("bucket", _))
    announcement.epoch.foreach(json.writeNumberField("epoch", _))
    json.writeStringField("decidedAt", Instant.ofEpochMilli(announcement.decidedAtMillis).toString)
  }

  private def writeChange(change: Change, json: JsonGenerator): Unit = change match {
    case Change.Added(bucket, files)              => writeFiles(bucket, files, json)
    case Change.Snapshot(bucket, files)           => writeFiles(bucket, files, json)
    case Change.Removed(_, removed)               => writePaths("removed", removed, json)
    case Change.Replaced(bucket, files, replaced) =>
      writeFiles(bucket, files, json)
      writePaths("replaced", replaced, json)
    case Change.PartitionComplete(bucket, version) =>
      json.writeArrayFieldStart("completed")
      writeCompleted(bucket, version, json)
      json.writeEndArray()
    case Change.Gap(first, last) =>
      json.writeNumberField("first", first)
      json.writeNumberField("last", last)
  }

  private def writeFiles(bucket: String, files: Vector[AnnouncedFile], json: JsonGenerator): Unit = {
    json.writeArrayFieldStart("files")
    files.foreach(writeFile(bucket, _, json))
    json.writeEndArray()
  }

  private def writePaths(field: String, paths: Vector[String], json: JsonGenerator): Unit = {
    json.writeArrayFieldStart(field)
    paths.foreach(json.writeString)
    json.writeEndArray()
  }

  private def change(json: JsonNode): Change = {
    def bucket = required(json, "bucket").asText
    required(json, "kind").asText match {
      case "added"              => Change.Added(bucket, files(json))
      case "replaced"           => Change.Replaced(bucket, files(json), paths(json, "replaced"))
      case "removed"            => Change.Removed(bucket, paths(json, "removed"))
      case "snapshot"           => Change.Snapshot(bucket, files(json))
      case "gap"                => Change.Gap(required(json, "first").asLong, required(json, "last").asLong)
      case "partition complete" =>
        Change.PartitionComplete(bucket, required(json.path("completed").path(0), "version").asInt)
      case other => unreadable(s"the kind is '$other'")
    }
  }

  private def files(json: JsonNode): Vector[AnnouncedFile] = elements(json, "files").map { file =>
    val times = Option.when(file.has("min") && file.has("max"))(
      TimeRange(file.get("min").asText, file.get("max").asText)
    )
    AnnouncedFile(
      required(file, "path").asText,
      Option(file.get("rows")).map(_.asLong),
      required(file, "bytes").asLong,
      times
    )
  }

  private def paths(json: JsonNode, field: String): Vector[String] = elements(json, field).map(_.asText)

  private def elements(json: JsonNode, field: String): Vector[JsonNode] =
    required(json, field).elements.asScala.toVector

  private def required(json: JsonNode, field: String): JsonNode =
    Option(json)
      .flatMap(node => Option(node.get(field)))
      .getOrElse(unreadable(s"the field '$field' is missing"))

  private def unreadable(why: String): Nothing =
    throw new IllegalArgumentException(s"The text is not an announcement: $why.")

  private final val Format = 1
  private val factory      = new JsonFactory()
  private val mapper       = new ObjectMapper()
}
