// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Buckets from a column of strings, without a session of Spark. */
class ColumnBucketAssignerSuite extends AnyFunSuite {
  private val schema = StructType.fromDDL("id INT, directory STRING")

  private object NoContext extends BucketContext {
    override def processingTimeMillis: Long = 0
  }

  test("the value of the column is the bucket, and null is the bucket `null`") {
    val assigner = ColumnBucketAssigner.bind(schema, "DIRECTORY")
    assigner.open(schema)
    val values = Seq("a=1/b", "a=1/b", null, "c", "a=1/b", "")
    val rows   = values.map(value => InternalRow(1, UTF8String.fromString(value)))
    assert(rows.map(assigner.bucket(_, NoContext)) === Seq("a=1/b", "a=1/b", "null", "c", "a=1/b", ""))
  }

  test("a column whose memory is reused keeps no old value") {
    val assigner = ColumnBucketAssigner.bind(schema, "directory")
    assigner.open(schema)
    val bytes = "one".getBytes
    val row   = InternalRow(1, UTF8String.fromBytes(bytes))
    assert(assigner.bucket(row, NoContext) === "one")
    System.arraycopy("two".getBytes, 0, bytes, 0, 3)
    assert(assigner.bucket(row, NoContext) === "two")
  }

  test("unsuitable columns are rejected") {
    val refusals = Seq(
      (schema, "name", "there is no column 'name' among id, directory"),
      (schema, "_python_bucket", "in Python, call write_stream(df) or write(df) of the sink"),
      (schema, "id", "the column is of type int; cast it to a string"),
      (StructType.fromDDL("directory STRING"), "directory", "it is the only column")
    )
    for ((columns, name, why) <- refusals) {
      val e = intercept[Exception](ColumnBucketAssigner.bind(columns, name)).asInstanceOf[SparkThrowable]
      assert(e.getCondition === "STOPLOG_INVALID_OPTIONS")
      assert(e.asInstanceOf[Exception].getMessage.contains(why))
    }
  }

  test("files do not contain the column") {
    val written = DataColumns.without(StructType.fromDDL("a INT, d STRING, b INT"), Seq(1))
    assert(written.schema.fieldNames.toSeq === Seq("a", "b"))
    val view = written.newProjection()(InternalRow(1, UTF8String.fromString("x"), 2))
    assert((view.getInt(0), view.getInt(1)) === ((1, 2)))
  }
}
