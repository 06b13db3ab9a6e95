// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ArrayNode

import stoplog.part.{FinishedPart, PathBelow, SchemaId}

/** Reads required fields with a given type. Throws `IllegalArgumentException` for an invalid field. */
private[log] object JsonFields {

  def required(from: JsonNode, field: String): JsonNode =
    Option(from.get(field)).getOrElse(throw new IllegalArgumentException(s"no field '$field'"))

  def text(from: JsonNode, field: String): String = required(from, field).asText()

  /** Reads a path below the sink's path. Throws [[PathElsewhere]] for any other path. */
  def path(from: JsonNode, field: String): String = below(from, field)(PathBelow.problem)

  /** Reads a file name. Throws [[PathElsewhere]] for anything else. */
  def name(from: JsonNode, field: String): String = below(from, field)(PathBelow.problemOfName)

  def long(from: JsonNode, field: String): Long = {
    val node = required(from, field)
    if (!node.isIntegralNumber) throw new IllegalArgumentException(s"field '$field' is not a whole number")
    node.asLong()
  }

  def objects(from: JsonNode, field: String): Vector[JsonNode] = required(from, field) match {
    case array: ArrayNode => array.elements().asScala.toVector
    case _                => throw new IllegalArgumentException(s"field '$field' is not a list")
  }

  private def below(from: JsonNode, field: String)(problem: String => Option[String]): String = {
    val read = text(from, field)
    problem(read).foreach(why => throw new PathElsewhere(s"$why: the field '$field' is '$read'"))
    read
  }
}

/** Thrown if a field names a file that may be located outside of the sink's path. */
private[log] final class PathElsewhere(message: String) extends IllegalArgumentException(message)

/** The lists missing in most records: buckets without a marker, finished parts, and the follow-up. */
private[log] object ListsJson {
  import JsonFields._

  /** Writes the buckets without a marker. */
  def writeLive(live: Vector[LiveBucket], into: JsonGenerator): Unit =
    writeList("live", live, into) { bucket =>
      into.writeStringField("bucket", bucket.bucket)
      if (bucket.version > 0) into.writeNumberField("version", bucket.version)
      writeTotals("added", bucket.added, into)
      into.writeNumberField("lastWrittenAtMillis", bucket.lastWrittenAtMillis)
    }

  def readLive(state: JsonNode): Vector[LiveBucket] = readList("live", state) { from =>
    LiveBucket(
      path(from, "bucket"),
      if (from.has("version")) long(from, "version").toInt else 0,
      readTotals(from, "added"),
      long(from, "lastWrittenAtMillis")
    )
  }

  /** Writes finished parts with all fields, because the parts of a list may come from several runs. */
  def writeFinished(field: String, parts: Vector[FinishedPart], into: JsonGenerator): Unit =
    writeList(field, parts, into) { part =>
      into.writeStringField("bucket", part.bucket)
      into.writeStringField("name", part.name)
      into.writeNumberField("bytes", part.sizeBytes)
      into.writeNumberField("records", part.records)
      into.writeNumberField("epoch", part.epoch)
      if (part.compactions > 0) into.writeNumberField("merges", part.compactions)
      part.schema.foreach(id => into.writeStringField("schema", id.value))
    }

  def readFinished(field: String, from: JsonNode): Vector[FinishedPart] = readList(field, from) { node =>
    FinishedPart(
      bucket = path(node, "bucket"),
      name = name(node, "name"),
      sizeBytes = long(node, "bytes"),
      records = long(node, "records"),
      epoch = long(node, "epoch"),
      compactions = if (node.has("merges")) long(node, "merges").toInt else 0,
      schema = Option(node.get("schema")).map(id => SchemaId(id.asText()))
    )
  }

  /** Writes the follow-up to publishing. */
  def writeFollowUp(follow: FollowUp, into: JsonGenerator): Unit = {
    follow.manifest.foreach { manifest =>
      into.writeObjectFieldStart("manifest")
      into.writeStringField("path", manifest.path)
      manifest.column.foreach { column =>
        into.writeStringField("column", column.name)
        into.writeStringField("kind", column.kind.word)
      }
      into.writeEndObject()
    }
    writeList("markers", follow.markers, into) { marker =>
      into.writeStringField("bucket", marker.bucket)
      into.writeNumberField("version", marker.version)
      into.writeStringField("form", marker.form.word)
      into.writeStringField("sinkId", marker.sinkId)
      into.writeStringField("cause", marker.cause)
      into.writeNumberField("atMillis", marker.atMillis)
      marker.endMillis.foreach(into.writeNumberField("endMillis", _))
      writeTotals("added", marker.added, into)
    }
  }

  def readFollowUp(record: JsonNode): FollowUp = FollowUp(
    Option(record.get("manifest")).map { from =>
      Manifest(
        path(from, "path"),
        Option.when(from.has("column"))(
          TimeColumn(
            text(from, "column"),
            named(text(from, "kind"), TimeKind.all.map(kind => kind.word -> kind))
          )
        )
      )
    },
    readList("markers", record) { from =>
      Marker(
        path(from, "bucket"),
        long(from, "version").toInt,
        named(text(from, "form"), MarkerForm.all.map(form => form.word -> form)),
        text(from, "sinkId"),
        text(from, "cause"),
        long(from, "atMillis"),
        Option.when(from.has("endMillis"))(long(from, "endMillis")),
        readTotals(from, "added")
      )
    }
  )

  /** Omits the field for an empty list. */
  private def writeList[A](field: String, items: Vector[A], into: JsonGenerator)(fields: A => Unit): Unit =
    if (items.nonEmpty) {
      into.writeArrayFieldStart(field)
      items.foreach { item =>
        into.writeStartObject()
        fields(item)
        into.writeEndObject()
      }
      into.writeEndArray()
    }

  private def readList[A](field: String, from: JsonNode)(item: JsonNode => A): Vector[A] =
    if (from.has(field)) objects(from, field).map(item) else Vector.empty

  /** Omits the field for empty totals. */
  private def writeTotals(field: String, totals: Totals, into: JsonGenerator): Unit =
    if (totals != Totals.nothing) {
      into.writeObjectFieldStart(field)
      into.writeNumberField("files", totals.files)
      into.writeNumberField("rows", totals.rows)
      into.writeNumberField("bytes", totals.bytes)
      into.writeEndObject()
    }

  private def readTotals(from: JsonNode, field: String): Totals =
    Option(from.get(field)).fold(Totals.nothing) { totals =>
      Totals(long(totals, "files"), long(totals, "rows"), long(totals, "bytes"))
    }

  private def named[A](word: String, all: Seq[(String, A)]): A = all
    .collectFirst { case (`word`, value) => value }
    .getOrElse(throw new IllegalArgumentException(s"unknown word '$word'"))
}
