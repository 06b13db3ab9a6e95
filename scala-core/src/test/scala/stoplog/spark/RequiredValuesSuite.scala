// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Which rows are looked at, and where. */
class RequiredValuesSuite extends AnyFunSuite {
  private val written = StructType.fromDDL("a INT, s STRUCT<x: INT, y: ARRAY<INT>>, b STRING")

  /** Fails at each look but those at `seen`. */
  private final class Guarded(values: Seq[Any], seen: Set[Int]) extends GenericInternalRow(values.toArray) {
    override protected def genericGet(ordinal: Int): Any =
      if (seen(ordinal)) super.genericGet(ordinal) else fail(s"column $ordinal is looked at")
    override def isNullAt(ordinal: Int): Boolean = genericGet(ordinal) == null
  }

  private def unseen(table: StructType, of: StructType = written): Unit =
    new RequiredValues(table, of).check(new Guarded(Seq(null, null, null), Set.empty))

  test("rows are not inspected if Spark already checks all required values") {
    unseen(written)
    unseen(StructType(written.map(_.withComment("a comment"))))
    unseen(written, StructType(written.map(_.copy(nullable = false)))) // the rows are stricter
    unseen(StructType.fromDDL("a INT NOT NULL"), StructType.fromDDL("a INT NOT NULL"))
    unseen(StructType.fromDDL("other INT NOT NULL"))
  }

  test("inspects only columns with required values, at any depth") {
    val table = StructType.fromDDL("a INT, s STRUCT<x: INT NOT NULL, y: ARRAY<INT>>, b STRING")
    val rows  = new RequiredValues(table, written)
    def of(struct: Any): InternalRow = new Guarded(Seq(null, struct, null), Set(1))
    rows.check(of(InternalRow(1, null)))
    rows.check(of(null))
    val error = intercept[Exception with SparkThrowable](
      rows.check(of(InternalRow(null, new GenericArrayData(Array(1)))))
    )
    assert(error.getCondition === "NOT_NULL_ASSERT_VIOLATION" && error.getMessage.contains("x"))
    val collated = StructType.fromDDL(
      "b STRING COLLATE UTF8_LCASE NOT NULL, s STRUCT<x: STRING COLLATE UTF8_LCASE, y: INT NOT NULL>"
    )
    val texts = new RequiredValues(collated, StructType.fromDDL("b STRING, s STRUCT<x: STRING, y: INT>"))
    texts.check(InternalRow(UTF8String.fromString("b"), InternalRow(null, 1)))
    intercept[Exception](texts.check(InternalRow(null, InternalRow(null, 1))))
    intercept[Exception](texts.check(InternalRow(UTF8String.fromString("b"), InternalRow(null, null))))
    val elements = StructType.fromDDL("s STRUCT<x: INT, y: ARRAY<INT>>")
    val required = StructType(
      elements.map(
        _.copy(dataType =
          new StructType().add("x", IntegerType).add("y", ArrayType(IntegerType, containsNull = false))
        )
      )
    )
    val arrays = new RequiredValues(required, elements)
    arrays.check(InternalRow(InternalRow(1, new GenericArrayData(Array(1)))))
    intercept[Exception](arrays.check(InternalRow(InternalRow(1, new GenericArrayData(Array[Any](1, null))))))
  }
}
