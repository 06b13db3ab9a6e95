// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Map => JMap}

import org.apache.spark.sql.types.StructType

import stoplog.error.Redaction

/** Posts rows as JSON lines to a URL: what `sender=http` is.
  *
  * Each request has up to `httpBatchRows` rows of one chunk, the type `application/x-ndjson`, and the header
  * `Idempotency-Key: <chunk>-<number of the request in the chunk>`. The same rows have the same key each time they are sent, so
  * a server that knows its keys again takes each row once. Any answer but 2xx fails the query; a server that is overloaded
  * (429, 503) or does not answer is asked again, after what its `Retry-After` says in seconds, or else after 1, 2, 4, … seconds.
  *
  * {{{
  * rows.writeStream.format("stoplog-wal").option("sender", "http").option("url", "https://example.com/rows")
  * }}}
  */
final class HttpSender extends RowSender {
  override def target(options: JMap[String, String]): String =
    Redaction.text(HttpOptions.parse(options).url.toString)

  override def open(options: JMap[String, String], schema: StructType): RowTarget =
    new HttpTarget(HttpOptions.parse(options), schema, millis => Thread.sleep(millis))
}
