// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.funsuite.AnyFunSuite

import stoplog.engine.{SinkWriter, TaskMetric}

class SinkDataWriterSuite extends AnyFunSuite {

  private final class Counting extends SinkWriter[InternalRow, Unit] {
    var asked          = 0
    private var before = 0L

    override def write(row: InternalRow): Unit = before += 1
    override def commit(): Unit                = ()
    override def abort(): Unit                 = ()
    override def close(): Unit                 = ()
    override def rows: Long                    = before
    override def bytes: Option[Long]           = Some(before * 10)

    override def counts: Seq[(TaskMetric, () => Long)] = {
      asked += 1
      Seq(TaskMetric("own", "rows times two") -> (() => before * 2))
    }
  }

  test("each metric has the current count, and the writer reuses its metrics") {
    val sink   = new Counting
    val writer = new TaskWriterFactory.SinkDataWriter(sink)
    val first  = writer.currentMetricsValues()
    for (rows <- 1 to 3) {
      writer.write(InternalRow.empty)
      val now = writer.currentMetricsValues()
      assert(now eq first)
      assert(
        now.map(metric => metric.name() -> metric.value()).toMap ===
          Map("own" -> rows * 2L, "recordsWritten" -> rows.toLong, "bytesWritten" -> rows * 10L)
      )
    }
    assert(sink.asked === 1)
  }
}
