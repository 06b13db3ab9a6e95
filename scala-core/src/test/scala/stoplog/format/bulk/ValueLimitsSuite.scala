// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit._
import stoplog.format.orc.OrcParts
import stoplog.format.parquet.ParquetBulk
import stoplog.part.Open
import stoplog.plan.{Attempt, EpochPlan}
import stoplog.storage.hadoop.HadoopDefaults
import stoplog.writing.{BadRow, OnBadRow, TaskWriters}

/** Values that a format cannot store, in rows that wait for a block of a later epoch. */
class ValueLimitsSuite extends AnyFunSuite {
  import ValueLimitsSuite._

  for (onBadRow <- Seq(OnBadRow.Fail, OnBadRow.Reject)) {
    test(s"a time that ORC cannot store is a bad row in the epoch of its arrival: $onBadRow") {
      val world = new World("orc", onBadRow)
      world.epoch(orc, 0L)
      refused(world.epoch(orc, LastMicros))
      world.epoch(orc, 1L)
      assert(world.end().nonEmpty)
    }

    test(s"the mode EXCEPTION of Parquet rejects old values in the epoch of their arrival: $onBadRow") {
      val world = new World("parquet", onBadRow)
      world.epoch(parquet("EXCEPTION"), Recent)
      refused(world.epoch(parquet("EXCEPTION"), Old))
      assert(world.end().nonEmpty)
    }

    test(s"an open part keeps the limits of its settings: $onBadRow") {
      val world = new World("parquet", onBadRow)
      world.epoch(parquet("LEGACY"), Recent)
      refused(world.epoch(parquet("CORRECTED"), InTheGap))
      world.epoch(parquet("CORRECTED"), Old)
      assert(world.end().nonEmpty)
    }
  }

  test("an open part stores values that the present settings forbid in a new part") {
    val world = new World("parquet", OnBadRow.Fail)
    world.epoch(parquet("CORRECTED"), InTheGap, Old)
    world.epoch(parquet("EXCEPTION"), Old)
    assert(world.end().nonEmpty)
    refused(new World("parquet", OnBadRow.Fail).epoch(parquet("EXCEPTION"), Old))
  }

  private def refused(epoch: => Unit): Unit =
    intercept[BadRow](epoch).getCause match {
      case e: SparkThrowable => assert(e.getCondition === "STOPLOG_UNREADABLE_ROW")
      case other             => fail(other)
    }
}

object ValueLimitsSuite {
  private val schema = StructType.fromDDL("t TIMESTAMP")

  private val DayMicros  = 24L * 60 * 60 * 1000 * 1000
  private val LastMicros = -1L
  private val Recent     = 0L
  private val Old        = -200000 * DayMicros // 1422
  private val InTheGap   = -141430 * DayMicros // 1582-10-12

  private def orc: BlockFormat = OrcParts.format(schema)

  private def parquet(mode: String): BlockFormat = {
    val session = new SQLConf
    session.setConfString(SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE.key, mode)
    session.setConfString(SQLConf.SESSION_LOCAL_TIMEZONE.key, "UTC")
    ParquetBulk(schema, Map.empty, session, HadoopDefaults.configuration())
  }

  /** One open part, to which each epoch adds rows that wait. */
  private final class World(kind: String, onBadRow: OnBadRow) {
    private val parts      = new MemoryParts
    private val spoolFiles = new MemorySpoolFiles
    private var open       = Vector.empty[Open]
    private var nextPart   = 0L

    def epoch(format: BlockFormat, times: Long*): Unit = {
      format.open(schema)
      val sink   = BulkSink(kind, schema, format, PartLife.ManyEpochs)
      val bulk   = new BulkParts(sink, row => row, spoolFiles, onBadRow)
      val plan   = EpochPlan(Samples.mine, 0, None, 1, Map(0 -> open), nextPart).forTask(0, Attempt.First)
      val writer =
        TaskWriters.of(plan, parts, bulk, Rolls.never, new ManualClock(0), spoolFiles, format.suffix)
      try {
        times.foreach(time => writer.write("b", InternalRow(time)))
        val result = writer.commit()
        open = result.open
        nextPart = result.nextPart
      } finally writer.close()
    }

    /** Ends the part as the driver does; returns the file. */
    def end(): String = {
      val ending = new EndingParts(spoolFiles, None)
      parts.content(PartWriting.end(open.head, ending, parts).token)
    }
  }
}
