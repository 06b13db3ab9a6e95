// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.OutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.{BucketAssigner, BucketContext}
import stoplog.format.Encoder
import stoplog.rolling.{PartStats, RollReason, RollingPolicy}

/** Classes as a user writes them: with a constructor argument for instances, without for names. */
final class BracketEncoder(open: String) extends Encoder {
  def this() = this("<")

  override def suffix: String = ".brackets"

  override def encode(row: InternalRow, out: OutputStream): Unit = {
    out.write(open.getBytes(UTF_8))
    row.getUTF8String(0).writeTo(out)
    out.write('\n')
  }
}

final class FirstLetter(prefix: String) extends BucketAssigner {
  def this() = this("by-")

  override def bucket(row: InternalRow, context: BucketContext): String =
    prefix + row.getUTF8String(0).toString.take(1)
}

/** Closes a part once it holds so many rows, under its own reason. */
final class Few(rows: Long) extends RollingPolicy {
  def this() = this(2)

  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    Option.when(part.records >= rows)(RollReason.Custom("few"))
  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = None
}

/** The same, named by its class, with parameters. */
final class Configured(parameters: JMap[String, String]) extends BucketAssigner with RollingPolicy {
  private val few = new Few(parameters.getOrDefault("limit", "2").toLong)

  override def bucket(row: InternalRow, context: BucketContext): String =
    parameters.get("prefix") + row.getUTF8String(0).toString.take(1)

  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    few.beforeRow(part, nowMillis)
  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = None
}

/** What the context tells of each row. */
final class ByTimes extends BucketAssigner {
  override def bucket(row: InternalRow, context: BucketContext): String =
    Seq(context.eventTimeMillis, context.watermarkMillis)
      .map(_.fold("none")(_.toString))
      .mkString("at=", "-", "")
}

final class BadBucket extends BucketAssigner {
  override def bucket(row: InternalRow, context: BucketContext): String = "../elsewhere"
}
