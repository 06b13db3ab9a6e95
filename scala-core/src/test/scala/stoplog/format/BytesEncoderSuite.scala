// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.ByteArrayOutputStream
import java.util.{Map => JMap}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

class BytesEncoderSuite extends AnyFunSuite {

  private def opened(schema: String, parameters: JMap[String, String]): BytesEncoder = {
    val encoder = new BytesEncoder(parameters)
    encoder.open(StructType.fromDDL(schema))
    encoder
  }

  test("the bytes of the column are written as they are") {
    val encoder = opened("day STRING, body BINARY", JMap.of("column", "body", "suffix", ".pb"))
    val out     = new ByteArrayOutputStream
    encoder.begin(out)
    for (bytes <- Seq("a\n", "", "b")) encoder.encode(InternalRow(null, bytes.getBytes), out)
    assert((out.toString, encoder.suffix) === (("a\nb", ".pb")))
    assert(opened("value BINARY", JMap.of()).suffix === "")
  }

  test("null and columns of other types are rejected") {
    val encoder = opened("value BINARY", JMap.of())
    val e       = intercept[Exception](encoder.encode(InternalRow(null), new ByteArrayOutputStream))
    assert(e.asInstanceOf[SparkThrowable].getCondition === "STOPLOG_NULL_VALUE")
    for (
      (schema, why) <- Seq(
        "body BINARY"  -> "there is no column 'value' among body",
        "value STRING" -> "the column is of type string, not binary"
      )
    ) assert(intercept[Exception](opened(schema, JMap.of())).getMessage.contains(why))
  }
}
