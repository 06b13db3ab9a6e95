// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Types
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.TaskSerialization
import stoplog.format.bulk.{BlockFormat, CalendarGap, GrowingPart, PartInBlocks, RandomTables}
import stoplog.format.parquet.ParquetFiles.{footer, reading, saved}

/** How full row groups come out, and when their bytes do. */
class ParquetRowGroupSuite extends AnyFunSuite {

  private val schema = StructType.fromDDL("id BIGINT, name STRING, x DOUBLE")

  private def rows(count: Int): Seq[InternalRow] = {
    val random = new scala.util.Random(7)
    RandomTables.internal(
      schema,
      Seq.tabulate(count)(i => Row(i.toLong, random.alphanumeric.take(20).mkString, random.nextDouble()))
    )
  }

  private val small = Map("parquet.block.size" -> "1000000", "parquet.page.size" -> "65536")

  test("row groups are as large as in a batch job, within 5 %") {
    val taken  = rows(150000)
    val theirs = footer(SparkOutput.file(schema, taken, small)).getBlocks.asScala.map(_.getTotalByteSize)
    val ours   = footer(full(taken, small)).getBlocks.asScala.map(_.getTotalByteSize)
    assert(ours.size === theirs.size && ours.size > 3)
    for ((our, their) <- ours.zip(theirs).init) assert(math.abs(our - their) < their * 5 / 100)
  }

  test("a row group ends at the limit of rows") {
    val blocks = footer(full(rows(2500), Map("parquet.block.row.count.limit" -> "1000"))).getBlocks.asScala
    assert(blocks.map(_.getRowCount) === Seq(1000, 1000, 500))
  }

  test("row groups are contiguous and numbered") {
    val blocks = footer(full(rows(50000), small)).getBlocks.asScala.toSeq
    assert(blocks.map(_.getOrdinal) === blocks.indices)
    assert(blocks.map(_.getRowIndexOffset) === blocks.map(_.getRowCount).scanLeft(0L)(_ + _).init)
    assert(blocks.map(_.getStartingPos) === blocks.map(_.getStartingPos).sorted)
  }

  test("no bytes reach the part before finish, and none from an abandoned block") {
    for (before <- Seq(PartInBlocks(), PartInBlocks().block(format(small), rows(100)))) {
      val out    = new GrowingPart.End(before.bytes)
      val writer = format(small).block(out, before.directory)
      rows(50000).foreach(writer.write)
      assert(writer.bufferedBytes > small("parquet.block.size").toLong)
      assert(out.position === before.bytes.length)
      writer.close()
      assert(out.position === before.bytes.length)
    }
  }

  test("a row group of nulls in nested columns can be abandoned") {
    val nested = StructType.fromDDL("a STRUCT<b: INT, c: ARRAY<STRUCT<d: STRING>>>, e INT")
    val out    = new GrowingPart.End(Array.empty)
    val format = Blocks.format(nested, Map.empty)
    format.open(nested)
    val writer = format.block(out, Array.empty)
    writer.write(InternalRow(null, null))
    writer.close()
    assert(out.position === 0)
  }

  test("statistics of strings and bytes equal Spark's sink for row groups and pages") {
    val random  = new scala.util.Random(3)
    val columns =
      StructType.fromDDL("same STRING, any STRING, raw BINARY, id INT, none STRING, must STRING NOT NULL")
    def text() = Seq.fill(random.nextInt(6))(random.nextPrintableChar()).mkString + "\u00e9\ud83d\ude00".take(
      random.nextInt(4)
    )
    val taken = RandomTables.internal(
      columns,
      Seq.tabulate(5000) { i =>
        val some = random.nextInt(5) > 0
        Row(
          s"https://example.org/a/rather/long/path/that/is/the/same/${random.nextInt(9000)}",
          if (some) text() else null,
          if (some || i / 1000 == 2) Array.fill(random.nextInt(4))(random.nextInt().toByte) else null,
          i,
          null,
          text()
        )
      }
    )
    val pages =
      Map(
        "parquet.page.row.count.limit"    -> "500",
        "parquet.page.size.row.check.min" -> "10",
        "parquet.enable.dictionary"       -> "false"
      )
    for (
      options <- Seq(
        pages,
        pages + ("parquet.enable.dictionary#any" -> "true"),
        pages ++ Map(
          "parquet.columnindex.truncate.length" -> "9",
          "parquet.statistics.truncate.length"  -> "12"
        ),
        pages + ("parquet.column.statistics.enabled"     -> "false"),
        pages + ("parquet.column.statistics.enabled#any" -> "false"),
        Map("parquet.writer.version" -> "v2")
      )
    )
      assert(told(full(taken, options, columns)) === told(SparkOutput.file(columns, taken, options)), options)
  }

  for {
    options <- Seq(
      Map("spark.sql.parquet.outputTimestampType" -> "INT96"),
      Map(
        "spark.sql.parquet.outputTimestampType"       -> "TIMESTAMP_MILLIS",
        "spark.sql.parquet.datetimeRebaseModeInWrite" -> "LEGACY"
      ),
      Map(
        "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS",
        "spark.sql.parquet.writeLegacyFormat"   -> "true"
      ),
      Map("parquet.writer.version" -> "v2")
    )
    unsafe <- Seq(true, false)
  }
    test(s"pages and indexes of flat columns equal Spark's sink byte for byte ($options, unsafe = $unsafe)") {
      val source  = new ParquetTables(11)
      val types   = ParquetTables.Flat.filter(_ != VariantType)
      val columns = StructType(types.zipWithIndex.map { case (kind, at) => StructField(s"c$at", kind) })
      val (settings, others) = options.partition(_._1.startsWith("spark."))
      val session            =
        Blocks.session((settings + ("spark.sql.parquet.int96RebaseModeInWrite" -> "CORRECTED")).toSeq: _*)
      val check = CalendarGap.checkOf("parquet", columns, CalendarGap.Both, session.sessionLocalTimeZone).get
      val plain =
        RandomTables.internal(columns, source.rows(columns, 300)).filter(row => Try(check(row)).isSuccess)
      val taken = if (unsafe) RandomTables.unsafe(columns, plain) else plain
      val ours  = Blocks.file(Blocks.format(columns, others, session), columns, Seq(taken))
      assert(pages(ours).sameElements(pages(SparkOutput.file(columns, taken, others, session))))
    }

  test("a page's range includes values in any buffer, up to their end") {
    val column = Types.required(PrimitiveTypeName.BINARY).named("c")
    val bytes  = "-bac-".getBytes(UTF_8)
    val direct = ByteBuffer.allocateDirect(3)
    direct.put(bytes, 1, 3).flip()
    for (
      value <- Seq(
        Binary.fromConstantByteArray("bac".getBytes(UTF_8)),
        Binary.fromReusedByteArray(bytes, 1, 3),
        Binary.fromConstantByteBuffer(ByteBuffer.wrap(bytes, 1, 3)),
        Binary.fromConstantByteBuffer(ByteBuffer.wrap(bytes, 1, 3).asReadOnlyBuffer()),
        Binary.fromConstantByteBuffer(direct)
      )
    ) {
      val range               = new ByteRange.Seen(column)
      def ends(): Seq[String] = {
        val found: Statistics[_] = range.take()
        Seq(found.getMinBytes, found.getMaxBytes).map(new String(_, UTF_8))
      }
      Seq("bab", "bad").foreach(text => range.add(Binary.fromString(text)))
      range.add(value)
      assert(ends() === Seq("bab", "bad"))
      range.add(value)
      assert(ends() === Seq("bac", "bac"))
    }
  }

  /** All of a file but its footer, which names entries in another order. */
  private def pages(file: Array[Byte]): Array[Byte] =
    file.dropRight(8 + ByteBuffer.wrap(file.takeRight(8)).order(ByteOrder.LITTLE_ENDIAN).getInt)

  /** Least and greatest values and nulls of each column, of its row groups and its pages. */
  private def told(file: Array[Byte]): Seq[Any] = reading(saved(file)) { reader =>
    reader.getFooter.getBlocks.asScala.toSeq.flatMap(_.getColumns.asScala).map { column =>
      val index                             = Option(reader.readColumnIndex(column))
      def seq(bytes: ByteBuffer): Seq[Byte] = {
        val copy = new Array[Byte](bytes.remaining)
        bytes.duplicate().get(copy)
        copy.toSeq
      }
      (
        column.getPath.toDotString,
        Option(column.getStatistics.getMinBytes).map(_.toSeq),
        Option(column.getStatistics.getMaxBytes).map(_.toSeq),
        column.getStatistics.getNumNulls,
        Option(column.getSizeStatistics).map(_.getUnencodedByteArrayDataBytes),
        index.map(_.getMinValues.asScala.map(seq)),
        index.map(_.getMaxValues.asScala.map(seq)),
        index.map(_.getNullCounts.asScala.map(_.longValue)),
        index.map(_.getNullPages.asScala.map(_.booleanValue)),
        index.map(_.getBoundaryOrder)
      )
    }
  }

  for (codec <- Seq("snappy", "zstd", "none"))
    test(s"$codec: encodedBytes matches the uncompressed size in the footer") {
      val out    = new GrowingPart.End(Array.empty)
      val format = this.format(Map("compression" -> codec))
      val writer = format.block(out, Array.empty)
      rows(100000).foreach(writer.write)
      val measured = writer.encodedBytes
      format.end(out, writer.finish())
      val block = footer(out.bytes).getBlocks.get(0)
      assert(math.abs(measured - block.getTotalByteSize) < block.getTotalByteSize / 50)
      if (codec != "none") assert(block.getCompressedSize < block.getTotalByteSize)
    }

  test("a row group counts as large from half of its size") {
    val session = Blocks.session("parquet.block.size" -> "5000000")
    val format  = Blocks.format(schema, session = session)
    format.open(schema)
    assert(format.largeBytes === 2500000)
  }

  test("the session configures the row group size, with 128 MiB as default") {
    val session = Blocks.session("parquet.block.size" -> "5000000")
    for (
      (format, bytes) <- Seq(
        Blocks.format(schema, session = session) -> 5000000L,
        Blocks.format(schema)                    -> (128L << 20)
      )
    ) {
      format.open(schema)
      assert(format.blockBytes === bytes)
    }
  }

  private def format(options: Map[String, String], columns: StructType = schema): BlockFormat = {
    val format = TaskSerialization.toTask(Blocks.format(columns, options))
    format.open(columns)
    format
  }

  private def full(
      taken: Seq[InternalRow],
      options: Map[String, String],
      columns: StructType = schema
  ): Array[Byte] = {
    val out = new GrowingPart.End(Array.empty)
    PartInBlocks.fill(format(options, columns), taken.iterator, out)
    out.bytes
  }
}
