// SPDX-License-Identifier: Apache-2.0
package stoplog

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.streaming.DataStreamWriter

import stoplog.bucket.BucketAssigner
import stoplog.bucketing.{Bucketer, DateTimeBucketer, StringWriter, Writer}
import stoplog.error.Errors
import stoplog.format.Encoder
import stoplog.options.TimeSpan
import stoplog.options.OptionType.ByteSize
import stoplog.util.UserObject

/** Flink's `BucketingSink` by its own names: its setters and its defaults, over the options of [[FileSink]].
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
  * Unlike the other builders it is mutable: a setter changes it and answers it, as programs for Flink expect. For one
  * thread. `docs/files/bucketing-sink.md` has each setter, and what differs.
  *
  * @param basePath the directory of the buckets
  */
final class BucketingSink(basePath: String) {
  import BucketingSink._

  private var bucketer: Bucketer          = DateTimeBucketer()
  private var writer: Writer              = StringWriter
  private var others: Map[String, String] = Defaults

  /** The bucketer, which names the directory of a row; by default one for each hour, `2026-01-31--20`, in UTC. */
  def setBucketer(bucketer: Bucketer): this.type = changed(this.bucketer = bucketer)

  /** The same with a bucketer of one's own. */
  def setBucketer(assigner: BucketAssigner): this.type = setBucketer(Bucketer.of(assigner))

  /** The writer, which turns rows into bytes; lines of text by default. */
  def setWriter(writer: Writer): this.type = changed(this.writer = writer)

  /** The same with a writer of one's own. */
  def setWriter(encoder: Encoder): this.type = setWriter(Writer.of(encoder))

  /** A part with more bytes is closed; 384 MiB by default. */
  def setBatchSize(bytes: Long): this.type = setOption("maxPartSize", ByteSize.render(bytes))

  /** A part that was opened so many milliseconds ago is closed; by default none is, however old it gets. */
  def setBatchRolloverInterval(millis: Long): this.type = setOption("rolloverInterval", span(millis))

  /** A part that got no row for so many milliseconds is closed; 60,000 by default. */
  def setInactiveBucketThreshold(millis: Long): this.type = setOption("inactivityInterval", span(millis))

  /** The time, in milliseconds, after which the driver looks for such parts while no data arrives; 60,000 by default. */
  def setInactiveBucketCheckInterval(millis: Long): this.type =
    setOption("bucketCheckInterval", span(millis))

  /** The prefix of an open part's name: `.` or `_` first; `_` by default. */
  def setInProgressPrefix(prefix: String): this.type = setMarker("inProgressPrefix", prefix)

  /** The suffix of an open part's name; `.in-progress` by default. */
  def setInProgressSuffix(suffix: String): this.type = setMarker("inProgressSuffix", suffix)

  /** The prefix of a closed part's name until its epoch is committed: `.` or `_` first; `_` by default. */
  def setPendingPrefix(prefix: String): this.type = setMarker("pendingPrefix", prefix)

  /** The suffix of a closed part's name until its epoch is committed; `.pending` by default. */
  def setPendingSuffix(suffix: String): this.type = setMarker("pendingSuffix", suffix)

  /** The prefix of a valid-length file's name; `_` by default. Only with `setUseTruncate(false)`. */
  def setValidLengthPrefix(prefix: String): this.type = setMarker("validLengthPrefix", prefix)

  /** The suffix of a valid-length file's name; `.valid-length` by default. Only with `setUseTruncate(false)`. */
  def setValidLengthSuffix(suffix: String): this.type = setMarker("validLengthSuffix", suffix)

  /** The prefix of finished files' names; `part` by default. */
  def setPartPrefix(prefix: String): this.type = setOption("partPrefix", prefix)

  /** The suffix of finished files' names, with its dot; empty by default. */
  def setPartSuffix(suffix: String): this.type = setOption("partSuffix", suffix)

  /** `true`, the default, has bytes of failed attempts cut off; `false` notes in a valid-length file how many count. */
  def setUseTruncate(useTruncate: Boolean): this.type = setOption("useTruncate", useTruncate.toString)

  /** `finish`, the default, publishes at a start what an earlier one has left open; `continue` goes on in it. */
  def setOnRestart(choice: String): this.type = setOption("onRestart", choice)

  /** Any other option of the sink of files by its name. */
  def setOption(key: String, value: String): this.type = changed(others += key -> value)

  /** The sink of files that this one stands for, with what else it can do.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong at once
    */
  def build(): FileSink = FileSink.fromOptions(options.asJava)

  /** A stream writer with everything of the sink set; the checkpoint, trigger and `start()` are the caller's. Stands for
    * Flink's `stream.addSink(sink)`.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong at once
    */
  def writeStream(rows: DataFrame): DataStreamWriter[Row] = build().writeStream(rows)

  override def toString: String = UserObject.described("BucketingSink", options)

  private def options: Map[String, String] =
    Map("path" -> basePath) ++ others ++ bucketer.options ++ writer.options

  private def changed(change: => Unit): this.type = {
    change
    this
  }

  /** In Flink a sink without one gives no guarantees. Here an empty text would stand for the default. */
  private def setMarker(option: String, text: String): this.type =
    if (text.nonEmpty) setOption(option, text)
    else throw Errors.invalidOptions(Seq(s"$option = '' would show unfinished files to readers: $Unmarked."))
}

object BucketingSink {

  private final val Unmarked = "every sink of stoplog is exactly once, so leave it out or name one"

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
