// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.{ByteArrayOutputStream, IOException, OutputStream}

import stoplog.part.Spooled
import stoplog.rolling.{PartStats, RollReason, RollingPolicy}
import stoplog.writing.{Member, PartBuffer, PartEncoder, PartFormat, RowPartFormat, Unflushed, UnflushedRows}

/** One row a line, behind a first line `#`. */
object Lines extends RowPartFormat[String] {
  override def start(out: OutputStream): Unit                = encode("#", out)
  override def encode(row: String, out: OutputStream): Unit  = out.write((row + "\n").getBytes)
  override def openMember(out: OutputStream): Option[Member] = None
}

/** The same in members `<…>`, of which nothing reaches the part before they end. */
object HeldBackLines extends RowPartFormat[String] {
  override def start(out: OutputStream): Unit               = Lines.start(out)
  override def encode(row: String, out: OutputStream): Unit = Lines.encode(row, out)

  override def openMember(out: OutputStream): Option[Member] = Some(new Member {
    override val stream: ByteArrayOutputStream = new ByteArrayOutputStream()
    override def finish(): Unit                = out.write(s"<$stream>".getBytes)
    override def close(): Unit                 = ()
  })
}

/** Lines that all wait beside their part. */
object BesideLines extends PartFormat[String] {
  override def begin(name: String, end: PartBuffer): PartEncoder[String] = new Body

  override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[String] = new Body

  private final class Body extends PartEncoder[String] {
    private val lines                      = new ByteArrayOutputStream()
    override def append(row: String): Unit = Lines.encode(row, lines)
    override def sizeBytes: Long           = lines.size.toLong
    override def pause(): Unflushed = Unflushed("", UnflushedRows.More(lines.writeTo(_)), lines.size.toLong)
    override def finish(): Unit     = throw new UnsupportedOperationException("they have no end")
    override def close(): Unit      = ()
  }
}

/** A policy from its three answers; those not given are "no". */
final case class Rolls(
    beforeRow: PartStats => Option[RollReason] = _ => None,
    onTime: (PartStats, Long) => Option[RollReason] = (_, _) => None,
    onEpochEnd: PartStats => Option[RollReason] = _ => None
) {
  def policy: RollingPolicy = new RollingPolicy {
    override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] = Rolls.this.beforeRow(part)
    override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]    =
      Rolls.this.onTime(part, nowMillis)
    override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] =
      Rolls.this.onEpochEnd(part)
  }
}

object Rolls {
  val never: RollingPolicy = Rolls().policy

  def atRecords(most: Long): RollingPolicy =
    Rolls(beforeRow = part => Option.when(part.records >= most)(RollReason.Records)).policy

  def atAge(mostMillis: Long): RollingPolicy =
    Rolls(onTime = (part, now) => Option.when(now - part.openedAtMillis >= mostMillis)(RollReason.Age)).policy
}

/** The same in members that cannot be ended. */
object EndlessMembers extends RowPartFormat[String] {
  override def start(out: OutputStream): Unit               = Lines.start(out)
  override def encode(row: String, out: OutputStream): Unit = Lines.encode(row, out)

  override def openMember(out: OutputStream): Option[Member] = Some(new Member {
    override val stream: OutputStream = out
    override def finish(): Unit       = throw new IOException("no end")
    override def close(): Unit        = ()
  })
}
