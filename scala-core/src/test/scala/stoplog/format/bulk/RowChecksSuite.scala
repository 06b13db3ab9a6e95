// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.BlockOutput
import stoplog.writing.BadRow

class RowChecksSuite extends AnyFunSuite {

  test("a null in a NOT NULL column is rejected by the column name only there") {
    val required = new RowChecks.Required(StructType.fromDDL("name STRING, id BIGINT NOT NULL"))
    required.check(InternalRow(null, 7L))
    val refused = intercept[BadRow](required.check(InternalRow(UTF8String.fromString("a"), null)))
    refused.getCause match {
      case e: SparkThrowable =>
        assert(e.getCondition === "STOPLOG_NULL_VALUE")
        assert(e.getMessageParameters.get("column") === "id")
      case other => fail(other)
    }
  }

  test("a trial block buffers at most six mebibytes, regardless of row size") {
    var most   = 0L
    val format = new LinesInBlocks(Long.MaxValue) {
      override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter =
        new BlockThrough(super.block(out, directory)) {
          override def write(row: InternalRow): Unit = {
            super.write(row)
            most = most.max(bufferedBytes)
          }
        }
    }
    val schema = StructType.fromDDL("text STRING")
    val row    = UnsafeProjection.create(schema)(InternalRow(UTF8String.fromString("x" * (1 << 20))))
    val checks = new RowChecks.Each(format)
    for (_ <- 1 to 20) checks.beforeWaiting(row, new PartLimits(None, None))
    assert(most <= (6 << 20))
  }
}
