// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.SplittableRandom

import stoplog.commit.CompactionPolicy
import stoplog.part.RecordShare
import stoplog.rolling.{PartStats, RollReason, RollingPolicy}

/** What kind of world a seed makes. Drawn first, so that rare combinations last for a whole schedule.
  *
  * @param spoolFilesTogether see [[stoplog.writing.SpoolWriter]]
  */
final case class WorldTraits(
    stickPercent: Int,
    chaosPerThousand: Int,
    chaosBudget: Int,
    faultsPerTenThousand: Int,
    buckets: Int,
    slots: Int,
    rowsAtMost: Int,
    batches: Int,
    sessions: Int,
    executors: Int,
    maxOpenParts: Int,
    policy: SimPolicy,
    storageClockSkewMillis: Long,
    longSleep: LongSleep,
    format: SimFormat,
    spoolFilesTogether: Int,
    compaction: Option[CompactionPolicy]
) {

  /** In a third of the worlds few rows beside a part wait in the record. */
  def inRecord: RecordShare =
    if (spoolFilesTogether == 3) RecordShare(ofAllParts = 400, ofOnePart = 200) else RecordShare.none
}

/** How long a zombie sleeps when it sleeps for long. */
sealed trait LongSleep
object LongSleep {

  /** Until the query has ended. */
  case object ToTheEnd extends LongSleep

  /** Until so many records were written that the log has been trimmed past what it knew. */
  case object PastTrimming extends LongSleep
}

object WorldTraits {
  def draw(random: SplittableRandom): WorldTraits = {
    def oneOf[A](choices: A*): A = choices(random.nextInt(choices.size))
    WorldTraits(
      stickPercent = oneOf(10, 50, 80, 95),
      chaosPerThousand = oneOf(10, 30, 80),
      chaosBudget = oneOf(2, 4, 10),
      faultsPerTenThousand = oneOf(0, 0, 20, 100),
      buckets = oneOf(1, 2),
      slots = oneOf(1, 2, 3),
      rowsAtMost = oneOf(3, 5),
      batches = oneOf(2, 5, 8),
      sessions = oneOf(2, 4, 8),
      executors = oneOf(0, 2),
      maxOpenParts = oneOf(1, 2, 1000),
      policy = oneOf(
        SimPolicy.onCheckpoint,
        SimPolicy.byRecords(2),
        SimPolicy.byRecords(5),
        SimPolicy.bySize(20),
        SimPolicy.byTime(5 * 60 * 1000L, 60 * 1000L),
        SimPolicy.never
      ),
      storageClockSkewMillis = oneOf(0L, 0L, -20 * 60 * 1000L, 20 * 60 * 1000L),
      longSleep = if (random.nextInt(100) < 4) LongSleep.PastTrimming else LongSleep.ToTheEnd,
      format = oneOf(SimFormat.Lines, SimFormat.Blocks(70), SimFormat.Blocks(120), SimFormat.Blocks(1 << 20)),
      spoolFilesTogether = oneOf(2, 3, 16),
      compaction = oneOf(
        None,
        Some(CompactionPolicy(smallerThanBytes = 30, targetBytes = 60, afterEpochs = 1, minFiles = 2)),
        Some(CompactionPolicy(smallerThanBytes = 300, targetBytes = 1000, afterEpochs = 1, minFiles = 2)),
        Some(CompactionPolicy(smallerThanBytes = 300, targetBytes = 600, afterEpochs = 2, minFiles = 3))
      )
    )
  }
}

/** A rolling policy of very small numbers. */
final case class SimPolicy(
    maxRecords: Long,
    maxBytes: Long,
    rolloverMillis: Long,
    inactivityMillis: Long,
    atEpochEnd: Option[RollReason]
) extends RollingPolicy {
  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    if (part.records >= maxRecords) Some(RollReason.Records)
    else if (part.sizeBytes >= maxBytes) Some(RollReason.Size)
    else None

  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] =
    if (nowMillis - part.openedAtMillis >= rolloverMillis) Some(RollReason.Age)
    else if (nowMillis - part.lastWrittenAtMillis >= inactivityMillis) Some(RollReason.Inactivity)
    else None

  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = atEpochEnd
}

object SimPolicy {
  private val big = Long.MaxValue

  val never: SimPolicy        = SimPolicy(big, big, big, big, None)
  val onCheckpoint: SimPolicy = never.copy(atEpochEnd = Some(RollReason.Checkpoint))

  def byRecords(records: Long): SimPolicy = never.copy(maxRecords = records)
  def bySize(bytes: Long): SimPolicy      = never.copy(maxBytes = bytes)

  def byTime(rolloverMillis: Long, inactivityMillis: Long): SimPolicy =
    never.copy(rolloverMillis = rolloverMillis, inactivityMillis = inactivityMillis)
}
