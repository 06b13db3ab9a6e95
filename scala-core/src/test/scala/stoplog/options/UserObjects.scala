// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.io.OutputStream
import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.{BucketAssigner, BucketContext}
import stoplog.format.Encoder
import stoplog.rolling.{PartStats, RollReason, RollingPolicy}

class NoEncoder(val separator: String) extends Encoder {
  def this() = this(",")
  override def encode(row: InternalRow, out: OutputStream): Unit = out.write(separator.getBytes)
}

class Configured(val parameters: JMap[String, String]) extends Encoder {
  override def encode(row: InternalRow, out: OutputStream): Unit = ()
}

object ObjectEncoder extends Encoder {
  override def encode(row: InternalRow, out: OutputStream): Unit = ()
}

class WithCompanion extends Encoder {
  override def encode(row: InternalRow, out: OutputStream): Unit = ()
}

object WithCompanion {
  val apart: Int = 1
}

class NeedsArgument(val separator: String) extends Encoder {
  override def encode(row: InternalRow, out: OutputStream): Unit = ()
}

class HoldsThread extends Encoder {
  val thread: Thread                                             = Thread.currentThread
  override def encode(row: InternalRow, out: OutputStream): Unit = ()
}

class FailsToStart extends Encoder {
  throw new IllegalStateException("no licence")
  override def encode(row: InternalRow, out: OutputStream): Unit = ()
}

abstract class AbstractEncoder extends Encoder

class OneBucket extends BucketAssigner {
  override def bucket(row: InternalRow, context: BucketContext): String = "one"
}

class AtMidnight extends RollingPolicy {
  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason]  = None
  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = Some(
    RollReason.Custom("midnight")
  )
}
