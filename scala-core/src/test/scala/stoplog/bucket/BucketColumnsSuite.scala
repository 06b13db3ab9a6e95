// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.ZoneOffset

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.{TimeColumn, TimeKind}

/** Columns that buckets are made of, without a session of Spark. */
class BucketColumnsSuite extends AnyFunSuite {
  private val schema = StructType.fromDDL("id INT, at TIMESTAMP, local TIMESTAMP_NTZ, day DATE, name STRING")
  private val utc    = ZoneOffset.UTC

  test("partition columns have the schema's names and the order of the directories") {
    val columns = PartitionColumns.of(schema, Seq("DAY", "id"))
    assert((columns.ordinals, columns.names) === ((Seq(3, 0), Seq("day", "id"))))
    assert(
      PartitionColumns.of(StructType.fromDDL("a INT, b INT, c INT"), Seq("a", "b")).ordinals === Seq(0, 1)
    )
  }

  test("columns unsuitable as directories are rejected") {
    val refusals = Seq(
      (schema, Seq.empty[String], "there are none"),
      (schema, Seq("nope"), "'nope'"),
      (schema, Seq("id", "day", "ID"), "'id' is named twice"),
      (schema, schema.fieldNames.toSeq, "no column remains"),
      (new StructType().add(".a", "int").add("b", "int"), Seq(".a"), "called '.a=")
    ) ++ Seq("ARRAY<INT>", "MAP<INT, INT>", "STRUCT<b: INT>", "VARIANT", "VOID", "INTERVAL").map { name =>
      (new StructType().add("b", "int").add("a", DataType.fromDDL(name)), Seq("a"), "not a single value")
    }
    for ((of, names, why) <- refusals) {
      val e = intercept[Exception](PartitionColumns.of(of, names)).asInstanceOf[SparkThrowable]
      assert(e.getCondition === "STOPLOG_OPTION_COLUMN")
      assert(e.getMessageParameters.get("why").contains(why))
    }
  }

  test("files contain the other columns in the requested order") {
    val row     = InternalRow(7, 1L, 2L, 3, null)
    val written = DataColumns.without(PartitionColumns.of(schema, Seq("day", "id")))
    assert(written.schema.fieldNames.toSeq === Seq("at", "local", "name"))
    val view = written.newProjection()(row)
    assert((view.numFields, view.getLong(0), view.getLong(1), view.isNullAt(2)) === ((3, 1L, 2L, true)))

    assert(written.arranged(written.schema) eq written)
    val turned = written.arranged(StructType(written.schema.reverse))
    assert(turned.schema.fieldNames.toSeq === Seq("name", "local", "at"))
    val other = turned.newProjection()(row)
    assert((other.isNullAt(0), other.getLong(1), other.getLong(2)) === ((true, 2L, 1L)))

    val all      = DataColumns.all(schema)
    val nullable = StructType(schema.map(_.copy(nullable = false)))
    assert(all.newProjection()(row) eq row)
    assert(all.arranged(nullable).schema === nullable)
    assert(all.arranged(nullable).newProjection()(row) eq row, "the same columns need no view")
  }

  test("the times of a column are microseconds of its kind") {
    val row                                    = InternalRow(7, 11L, 12L, 2, null)
    def of(column: String): (TimeColumn, Long) = {
      val times = ColumnTimes.of(column, schema)
      (times.column, times.micros(row))
    }
    assert(of("AT") === ((TimeColumn("at", TimeKind.Instant), 11L)))
    assert(of("local") === ((TimeColumn("local", TimeKind.Local), 12L)))
    assert(of("day") === ((TimeColumn("day", TimeKind.Day), 2 * 86400L * 1000000L)))
    assert(ColumnTimes.of("at", schema).isMissing(InternalRow(7, null, 1L, 1, null)))
    assert(!ColumnTimes.of("at", schema).isMissing(row))
  }

  test("reports whether buckets end, with a reason otherwise") {
    def why(bucketing: Bucketing) = BucketEnds.of(bucketing, schema, utc).left.getOrElse("")
    assert(why(Bucketing.BasePath).contains("no time"))
    assert(why(Bucketing.Expression("a")).contains("no time"))
    assert(why(Bucketing.FromColumn("name")).contains("no time"))
    assert(why(Bucketing.DateTime("HH", utc, None)).contains("complete time"))
    assert(why(Bucketing.DateTime("yyyy", utc, None)) === "")
    assert(why(Bucketing.UserAssigner(classOf[BasePathBucketAssigner].getName)).contains("TimedBuckets"))
  }
}
