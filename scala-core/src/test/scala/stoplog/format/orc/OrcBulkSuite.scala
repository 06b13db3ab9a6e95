// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.math.{BigDecimal => JBigDecimal}
import java.nio.file.Files
import java.sql.Date

import scala.jdk.CollectionConverters._

import org.apache.orc.Reader
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.matrix.Cells
import stoplog.format.SparkSessionForTests
import stoplog.format.bulk.PartInBlocks
import stoplog.format.orc.OrcParts.{reader, saved}
import stoplog.format.bulk.RandomTables.internal
import stoplog.format.orc.OrcTables.difference

/** Parts of several stripes, each by a writer of its own: what Spark reads of them, and that they are its files. */
class OrcBulkSuite extends AnyFunSuite with SparkSessionForTests {

  private val isLong = Cells.inLongRun

  for (seed <- 1 to (if (isLong) 12 else 3))
    test(s"rows of all types survive in parts of 1 to 6 blocks (seed $seed)") {
      val source = new OrcTables(seed.toLong)
      val schema = source.schema()
      val blocks =
        Seq.fill(source.number(1, 6))(source.rows(schema, source.number(1, if (isLong) 1500 else 500)))
      val bytes = OrcParts.file(OrcParts.format(schema), schema, blocks.map(internal(schema, _)))
      assert(difference(read(bytes, schema), blocks.flatten) === None)
      val orc = reader(saved(bytes))
      assert(orc.getStripes.asScala.map(_.getNumberOfRows).toSeq === blocks.map(_.size.toLong))
      assert(orc.getNumberOfRows === blocks.map(_.size).sum)
      assert(rowsOf(orc) === orc.getNumberOfRows)
    }

  for (codec <- Seq("none", "snappy", "zlib", "zstd", "lz4"))
    test(s"a part of a single block equals the file of Spark's writer byte for byte ($codec)") {
      val source = new OrcTables(7)
      // Sums of more than 18 digits are left out, where Spark's own files have a part of them.
      val schema = StructType(source.schema().filterNot(_.dataType.catalogString.contains("decimal(18,18)")))
      val rows   = internal(schema, source.rows(schema, 1500))
      val ours   = OrcParts.file(OrcParts.format(schema, "compression" -> codec), schema, Seq(rows))
      val theirs = Files.readAllBytes(OrcParts.sparks(schema, rows.iterator, "compression" -> codec))
      assert(ours.sameElements(theirs))
    }

  test("file statistics equal the statistics of a file written at once") {
    val source = new OrcTables(8)
    val schema = source.schema()
    val rows   = internal(schema, source.rows(schema, 12000))
    val ours   = reader(saved(OrcParts.file(OrcParts.format(schema), schema, rows.grouped(2500).toSeq)))
    val theirs = reader(OrcParts.sparks(schema, rows.iterator))
    assert(ours.getStripes.size === 5)
    assert(statistics(ours) === statistics(theirs))
    assert(ours.getSchema === theirs.getSchema)
    assert(ours.getRowIndexStride === theirs.getRowIndexStride)
    assert(ours.getMetadataKeys === theirs.getMetadataKeys)
    assert(ours.getWriterVersion === theirs.getWriterVersion)
    assert(ours.getFileTail.getFooter.getHeaderLength === theirs.getFileTail.getFooter.getHeaderLength)
    assert(ours.getStripeStatistics.size === 5)
  }

  test("a decimal sum missing in all stripes is omitted, and other sums cover all stripes") {
    val schema = StructType.fromDDL("part DECIMAL(18, 18), whole DECIMAL(38, 0)")
    val row    = Row(new JBigDecimal("0.600000000000000001"), new JBigDecimal("9" * 38))
    val blocks = Seq.fill(3)(internal(schema, Seq(row)))
    def sums(blocks: Seq[Seq[InternalRow]]): Seq[Option[String]] = {
      val orc = reader(saved(OrcParts.file(OrcParts.format(schema), schema, blocks)))
      orc.getFileTail.getFooter.getStatisticsList.asScala.toSeq
        .filter(_.hasDecimalStatistics)
        .map(column => Option.when(column.getDecimalStatistics.hasSum)(column.getDecimalStatistics.getSum))
    }
    assert(sums(blocks) === Seq(Some("1.800000000000000003"), None))
    assert(sums(blocks.map(_ ++ blocks.head)) === Seq(None, None))
    assert(sums(blocks.take(1)) === Seq(Some("0.600000000000000001"), Some("9" * 38)))
  }

  test("a part truncated to the end of a block resumes from there") {
    val schema = StructType.fromDDL("id BIGINT, name STRING")
    val rows   = (1 to 40).map(i => Row(i.toLong, s"name $i"))
    val blocks = rows.grouped(10).map(internal(schema, _)).toSeq
    val format = OrcParts.format(schema)
    val parts  = blocks.scanLeft(PartInBlocks())(_.block(OrcParts.rebuilt(format, schema), _))
    for (kept <- 0 to blocks.size) {
      val cut  = PartInBlocks(parts.last.bytes.take(parts(kept).bytes.length), parts(kept).directory)
      val part = cut.block(OrcParts.rebuilt(format, schema), blocks.head)
      val read = this.read(part.ended(OrcParts.rebuilt(format, schema)), schema)
      assert(difference(read, rows.take(kept * 10) ++ rows.take(10)) === None)
    }
  }

  test("Spark's writer loses entries of maps with date keys, so the sink rejects such maps") {
    val schema = StructType.fromDDL("m MAP<DATE, INT>")
    val row    = Row(Map(Date.valueOf("2026-01-01") -> 1, Date.valueOf("2026-01-02") -> 2))
    val file   = OrcParts.sparks(schema, internal(schema, Seq(row)).iterator)
    assert(spark.read.schema(schema).orc(file.toString).selectExpr("size(m)").head().getInt(0) === 1)
  }

  test("a row is rejected if a date falls into the gap of the calendar of ORC") {
    val day    = 24L * 60 * 60 * 1000 * 1000
    val first  = -141437L * day // 1582-10-05
    val schema = StructType.fromDDL("d DATE, t TIMESTAMP, n TIMESTAMP_NTZ, nested STRUCT<l: ARRAY<DATE>>")
    def row(days: Long, micros: Long, nested: Long) = InternalRow(
      days.toInt,
      micros,
      first,
      InternalRow(new GenericArrayData(Array[Any](null, nested.toInt)))
    )
    def written(row: InternalRow) = {
      val bytes = OrcParts.file(OrcParts.format(schema), schema, Seq(Seq(row)))
      read(bytes, schema)
    }
    val kept = row(-141438, first - 2 * day, -141427)
    assert(
      difference(
        written(kept),
        Seq(Row.fromSeq(CatalystTypeConverters.convertToScala(kept, schema).asInstanceOf[Row].toSeq))
      ) === None
    )
    for (
      moved <- Seq(row(-141437, 0, 0), row(-141428, 0, 0), row(0, first + 5 * day, 0), row(0, 0, -141430))
    ) {
      val e = intercept[StoplogException](written(moved))
      assert(e.getCondition === "STOPLOG_UNREADABLE_ROW")
      assert(e.getMessage.contains("between 1582-10-05 and 1582-10-14"))
    }
  }

  test("a row is rejected if its time is in the last second before 1970, which readers move") {
    val schema          = StructType.fromDDL("t TIMESTAMP, n TIMESTAMP_NTZ, nested ARRAY<TIMESTAMP>")
    def row(at: Long)   = InternalRow(at, at, new GenericArrayData(Array[Any](null, at)))
    def inner(at: Long) = InternalRow(0L, at, new GenericArrayData(Array[Any](null, at)))
    def written(rows: InternalRow*) =
      read(OrcParts.file(OrcParts.format(schema), schema, Seq(rows)), schema)
    val kept = Seq(-1000001L, -1000000L, -999999L, -999001L, 0L, 1L).map(row)
    assert(
      difference(
        written(kept: _*),
        kept.map(one => CatalystTypeConverters.convertToScala(one, schema).asInstanceOf[Row])
      ) === None
    )
    for (moved <- Seq(-999000L, -500000L, -1L).flatMap(at => Seq(row(at), inner(at)))) {
      val e = intercept[StoplogException](written(moved))
      assert(e.getCondition === "STOPLOG_UNREADABLE_ROW")
      assert(e.getMessage.contains("in the last second before 1970"))
    }
    // If this fails, orc-core stores these times, and no row needs to be rejected.
    val time   = StructType.fromDDL("t TIMESTAMP")
    val sparks = OrcParts.sparks(time, Iterator(InternalRow(-1L)))
    assert(
      spark.read.schema(time).orc(sparks.toString).selectExpr("unix_micros(t)").head().getLong(0) === 999999L
    )
  }

  test("a part without rows equals an empty file of Spark's writer") {
    val schema = StructType.fromDDL("id BIGINT, at TIMESTAMP")
    val format = OrcParts.format(schema)
    val theirs = Files.readAllBytes(OrcParts.sparks(schema, Iterator.empty))
    assert(OrcParts.file(format, schema, Nil).sameElements(theirs))
    assert(OrcParts.file(format, schema, Seq(Nil, Nil)).sameElements(theirs))
    assert(read(theirs, schema).isEmpty)
  }

  test("an empty block between others leaves no stripe") {
    val schema = StructType.fromDDL("id BIGINT")
    val rows   = Seq(Row(1L), Row(2L))
    val blocks = Seq(rows, Nil, rows).map(internal(schema, _))
    val bytes  = OrcParts.file(OrcParts.format(schema), schema, blocks)
    assert(reader(saved(bytes)).getStripes.size === 2)
    assert(read(bytes, schema) === rows ++ rows)
  }

  private def read(bytes: Array[Byte], schema: StructType): Seq[Row] = {
    spark.conf.set("spark.sql.datetime.java8API.enabled", "true")
    spark.read.schema(schema).orc(saved(bytes).toString).collect().toSeq
  }

  private def rowsOf(orc: Reader): Long = {
    val rows  = orc.rows()
    val batch = orc.getSchema.createRowBatch()
    try Iterator.continually(rows.nextBatch(batch)).takeWhile(identity).map(_ => batch.size.toLong).sum
    finally rows.close()
  }

  // All that readers prune by. How many bytes a column takes depends on where stripes end, and so do the last digits of
  // sums. Of lists and maps orc-core counts the room in its batches in place of the elements.
  private def statistics(orc: Reader): Seq[String] =
    orc.getStatistics.toSeq.map(_.toString.replaceAll(" (bytesOnDisk|sum|\\w+Children): \\S+", ""))
}
