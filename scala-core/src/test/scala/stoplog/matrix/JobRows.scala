// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.rolling.{PartStats, RollReason, RollingPolicy}

/** The rows of the matrix' query: the same for an epoch however often it is repeated. */
object JobRows {

  /** The first run does half of them and leaves its parts open; the second one does the rest and closes all. */
  val Epochs: Long   = 8
  val FirstRun: Long = 4

  private val buckets = Vector("a", "b/c=1", "", "d")

  /** Another number of tasks in almost every epoch, as adaptive execution has it. */
  def slots(epoch: Long): Int = 1 + (epoch % 3).toInt

  /** Bucket and row. */
  def of(epoch: Long, slot: Int): Vector[(String, String)] =
    (0 until RowsPerEpoch).toVector.filter(_ % slots(epoch) == slot).map { number =>
      val bucket = buckets((number / 3 + epoch.toInt) % buckets.size)
      bucket -> s"epoch $epoch row $number of '$bucket'"
    }

  /** Whether the row is one of the first bucket, and not of each third epoch: few bytes come behind many then. */
  def isHeavy(row: String): Boolean = row match {
    case OfEpoch(epoch, bucket) => bucket == buckets.head && epoch.toLong % 3 != 2
    case _                      => false
  }

  /** All rows of the whole query. */
  def all(epochs: Long): Vector[String] =
    (0L until epochs).toVector.flatMap(epoch => (0 until slots(epoch)).flatMap(of(epoch, _)).map(_._2))

  /** Long enough, now and then, for parts to age between epochs, and for the hourly sweep. */
  def pauseMillis(epoch: Long): Long = if (epoch % 4 == 2) 61 * 60 * 1000L else 60 * 1000L

  private val OfEpoch      = "epoch (\\d+) row \\d+ of '(.*)'".r
  private val RowsPerEpoch = 12
}

/** Closes parts of six rows, and parts of five minutes. */
object MatrixPolicy extends RollingPolicy {
  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    Option.when(part.records >= 6)(RollReason.Records)

  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] =
    Option.when(nowMillis - part.openedAtMillis >= 5 * 60 * 1000L)(RollReason.Age)

  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = None
}
