// SPDX-License-Identifier: Apache-2.0
package stoplog

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.streaming.DataStreamWriter

import stoplog.bucket.BucketAssigner
import stoplog.bucketing.{Bucketer, DateTimeBucketer, StringWriter, Writer}
import stoplog.error.Errors
import stoplog.format.Encoder
import stoplog.options.{BucketingSinkOptions, TimeSpan}
import stoplog.options.OptionType.ByteSize
import stoplog.util.UserObject

/** Builder with the setters and defaults of Flink's `BucketingSink`, mapped to the options of [[FileSink]].
  *
  * {{{
  * val sink = new BucketingSink("/base/path")
  * sink.setBucketer(DateTimeBucketer("yyyy-MM-dd--HHmm"))
  * sink.setWriter(SequenceFileWriter())
  * sink.setBatchSize(1024 * 1024 * 400)
  * sink.setBatchRolloverInterval(20 * 60 * 1000)
  *
  * sink.writeStream(rows).option("checkpointLocation", "/checkpoints/events").start()
  * }}}
  *
  * This builder is mutable: each setter changes the sink and returns the same object, as in Flink. Not
  * thread-safe. `docs/files/bucketing-sink.md` describes each setter and the differences from Flink.
  *
  * @param basePath the directory of the buckets
  */
final class BucketingSink(basePath: String) {
  import BucketingSink._

  private var bucketer: Bucketer          = DateTimeBucketer()
  private var writer: Writer              = StringWriter
  private var others: Map[String, String] = Defaults

  /** Sets the bucketer, which names the directory of a row. By default hourly in UTC: `2026-01-31--20`. */
  def setBucketer(bucketer: Bucketer): this.type = changed(this.bucketer = bucketer)

  /** Sets a custom bucket assigner as the bucketer. */
  def setBucketer(assigner: BucketAssigner): this.type = setBucketer(Bucketer.of(assigner))

  /** Sets the writer, which encodes rows as bytes. The default writes lines of text. */
  def setWriter(writer: Writer): this.type = changed(this.writer = writer)

  /** Sets a custom encoder as the writer. */
  def setWriter(encoder: Encoder): this.type = setWriter(Writer.of(encoder))

  /** Sets the maximum size of a part in bytes. A larger part is closed. The default is 384 MiB. */
  def setBatchSize(bytes: Long): this.type = setOption("maxPartSize", ByteSize.render(bytes))

  /** Sets the maximum age of a part in milliseconds. By default the age of a part is not limited. */
  def setBatchRolloverInterval(millis: Long): this.type = setOption("rolloverInterval", span(millis))

  /** Closes a part after this time without a row, in milliseconds. The default is 60,000 ms. */
  def setInactiveBucketThreshold(millis: Long): this.type = setOption("inactivityInterval", span(millis))

  /** Sets the interval, in milliseconds, at which the driver closes inactive and old parts without new data.
    */
  def setInactiveBucketCheckInterval(millis: Long): this.type =
    setOption("bucketCheckInterval", span(millis))

  /** Sets the prefix of an open part's name, which must start with `.` or `_`. The default is `_`. */
  def setInProgressPrefix(prefix: String): this.type = setMarker("inProgressPrefix", prefix)

  /** Sets the suffix of an open part's name. The default is `.in-progress`. */
  def setInProgressSuffix(suffix: String): this.type = setMarker("inProgressSuffix", suffix)

  /** Sets the prefix of a closed part's name before the commit: `.` or `_` first. The default is `_`. */
  def setPendingPrefix(prefix: String): this.type = setMarker("pendingPrefix", prefix)

  /** Sets the suffix of a closed part's name before its epoch is committed. The default is `.pending`. */
  def setPendingSuffix(suffix: String): this.type = setMarker("pendingSuffix", suffix)

  /** Sets the prefix of a valid-length file; `_` by default. For `setUseTruncate(false)`. */
  def setValidLengthPrefix(prefix: String): this.type = setMarker("validLengthPrefix", prefix)

  /** Sets the suffix of a valid-length file; `.valid-length` by default. For `setUseTruncate(false)`. */
  def setValidLengthSuffix(suffix: String): this.type = setMarker("validLengthSuffix", suffix)

  /** Sets the prefix of finished files' names. The default is `part`. */
  def setPartPrefix(prefix: String): this.type = setOption("partPrefix", prefix)

  /** Sets the suffix of finished files' names, including the dot. The default is empty. */
  def setPartSuffix(suffix: String): this.type = setOption("partSuffix", suffix)

  /** `true`, the default, truncates uncommitted bytes; `false` writes valid-length files instead. */
  def setUseTruncate(useTruncate: Boolean): this.type =
    setOption(BucketingSinkOptions.key("useTruncate"), useTruncate.toString)

  /** `finish`, the default, publishes open parts of an earlier run at a start; `continue` resumes them. */
  def setOnRestart(choice: String): this.type = setOption("onRestart", choice)

  /** Sets any other option of the file sink by name. */
  def setOption(key: String, value: String): this.type = changed(others += key -> value)

  /** Creates the [[FileSink]] with the same options, which offers further methods.
    *
    * @throws stoplog.error.StoplogArgumentException if any option is invalid; lists all problems
    */
  def build(): FileSink = FileSink.fromOptions(options.asJava)

  /** Returns a stream writer with all options, like Flink's `stream.addSink(sink)`. The caller sets the
    * checkpoint and the trigger and calls `start()`.
    *
    * @throws stoplog.error.StoplogArgumentException if any option is invalid; lists all problems
    */
  def writeStream(rows: DataFrame): DataStreamWriter[Row] = build().writeStream(rows)

  override def toString: String = UserObject.described("BucketingSink", options)

  private def options: Map[String, String] =
    Map("path" -> basePath) ++ others ++ bucketer.options ++ writer.options

  private def changed(change: => Unit): this.type = {
    change
    this
  }

  /** Rejects an empty marker: Flink would drop its guarantees, and here the default would apply. */
  private def setMarker(option: String, text: String): this.type =
    if (text.nonEmpty) setOption(BucketingSinkOptions.key(option), text)
    else throw Errors.invalidOptions(Seq(s"$option = '' would show unfinished files to readers: $Unmarked."))
}

object BucketingSink {

  private final val Unmarked =
    "every sink of stoplog is exactly-once. Remove the call, or pass another value"

  private val Defaults = Map(
    "inProgress"          -> "bucket",
    "partSuffix"          -> "",
    "rollingPolicy"       -> "default",
    "maxPartSize"         -> "384m",
    "rolloverInterval"    -> "none",
    "inactivityInterval"  -> "1m",
    "bucketCheckInterval" -> "1m",
    "onRestart"           -> "finish"
  )

  private def span(millis: Long): String = if (millis == Long.MaxValue) "none" else TimeSpan.render(millis)
}
