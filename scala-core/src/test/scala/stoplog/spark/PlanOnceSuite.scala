// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

import stoplog.engine._

class PlanOnceSuite extends AnyFunSuite {
  private val rows = new StructType().add("line", "string")

  /** Counts its plans. Nothing executes them. */
  private final class Planning(known: StructType) extends EngineSink[StructType, InternalRow, Unit] {
    var plans = Vector.empty[StructType]

    override def name: String                  = "planning"
    override def columns: StructType           = known
    override def replacing: Replacing          = Replacing.Never
    override def taskMetrics: Seq[TaskMetric]  = Nil
    override def noCounts: Seq[(String, Long)] = Nil

    override def plan(request: WriteRequest[StructType]): EngineWrite[InternalRow, Unit] = {
      plans :+= request.columns
      new EngineWrite[InternalRow, Unit] {
        override def start(start: RunStart): EngineRun[InternalRow, Unit] = throw new IllegalStateException
        override def job(): EngineJob[InternalRow, Unit]                  = throw new IllegalStateException
      }
    }
  }

  private def write(sink: Planning): Unit = {
    val info = new LogicalWriteInfo {
      override def options(): CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty()
      override def queryId(): String                   = "query"
      override def schema(): StructType                = rows
    }
    new SinkTable(sink).newWriteBuilder(info).build().toStreaming: Unit
  }

  test("the write of a micro-batch is planned once") {
    val sink = new Planning(rows)
    write(sink)
    assert(sink.plans === Vector(rows))
  }

  test("a column that is never null in this micro-batch only is planned as the query's column") {
    val lasting = new StructType().add("line", "string", nullable = false)
    val sink    = new Planning(lasting)
    write(sink)
    assert(sink.plans.last === lasting)
  }
}
