// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.BadRow

class RowChecksSuite extends AnyFunSuite {

  test(
    "a null in a column that is never null is refused under the column's name; elsewhere it is none of this"
  ) {
    val required = new BulkParts.RowChecks.Required(StructType.fromDDL("name STRING, id BIGINT NOT NULL"))
    required.check(InternalRow(null, 7L))
    val refused = intercept[BadRow](required.check(InternalRow(UTF8String.fromString("a"), null)))
    refused.getCause match {
      case e: SparkThrowable =>
        assert(e.getCondition === "STOPLOG_NULL_REQUIRED")
        assert(e.getMessageParameters.get("column") === "id")
      case other => fail(other)
    }
  }
}
