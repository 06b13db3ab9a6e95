// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.JsonNode

/** The buckets that have no marker yet, as a field of the state that most states do without. */
private[log] object LiveBucketJson {
  import JsonFields._

  def write(live: Vector[LiveBucket], into: JsonGenerator): Unit = if (live.nonEmpty) {
    into.writeArrayFieldStart("live")
    live.foreach { bucket =>
      into.writeStartObject()
      into.writeStringField("bucket", bucket.bucket)
      if (bucket.version > 0) into.writeNumberField("version", bucket.version)
      writeTotals("marked", bucket.marked, into)
      writeTotals("added", bucket.added, into)
      into.writeNumberField("lastWrittenAtMillis", bucket.lastWrittenAtMillis)
      into.writeEndObject()
    }
    into.writeEndArray()
  }

  def read(state: JsonNode): Vector[LiveBucket] =
    if (!state.has("live")) Vector.empty
    else
      objects(state, "live").map { from =>
        LiveBucket(
          path(from, "bucket"),
          if (from.has("version")) long(from, "version").toInt else 0,
          readTotals(from, "marked"),
          readTotals(from, "added"),
          long(from, "lastWrittenAtMillis")
        )
      }

  /** Nothing for nothing. */
  def writeTotals(field: String, totals: Totals, into: JsonGenerator): Unit = if (totals != Totals.nothing) {
    into.writeObjectFieldStart(field)
    into.writeNumberField("files", totals.files)
    into.writeNumberField("rows", totals.rows)
    into.writeNumberField("bytes", totals.bytes)
    into.writeEndObject()
  }

  def readTotals(from: JsonNode, field: String): Totals =
    Option(from.get(field)).fold(Totals.nothing) { totals =>
      Totals(long(totals, "files"), long(totals, "rows"), long(totals, "bytes"))
    }
}
