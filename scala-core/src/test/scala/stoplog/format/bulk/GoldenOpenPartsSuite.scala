// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.ByteArrayInputStream
import java.math.{BigDecimal => JBigDecimal}
import java.nio.file.{Files, Path}
import java.time.{Instant, LocalDate}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository
import stoplog.format.{Comparable, SparkSessionForTests}
import stoplog.format.orc.OrcBulk
import stoplog.format.parquet.ParquetBulk
import stoplog.util.UserObject

/** Open parts of blocks as release 0.1.0 left them: two blocks, and beside them the description of the format, the
  * directory of the blocks and rows that wait. The next release ends them, or goes on with them. Never edited.
  */
class GoldenOpenPartsSuite extends AnyFunSuite with SparkSessionForTests {
  import GoldenOpenPartsSuite._

  for (name <- Seq("parquet", "orc")) {
    test(s"ends a stored open $name part") {
      val part = new Left(name)
      assert(read(name, part.ended()) === texts(rows(0 until 30)))
    }

    test(s"resumes a stored open $name part") {
      val part = new Left(name)
      assert(read(name, part.ended(internal(rows(30 until 50)))) === texts(rows(0 until 50)))
    }
  }

  test("a part of a custom format resumes by class name and recorded settings") {
    val part = new Left("own")
    val file = part.ended((30 until 50).map(line))
    assert(LineBlocks.read(new String(file, "UTF-8")).flatten === (0 until 50).map(n => s"row $n"))
  }

  private def read(name: String, bytes: Array[Byte]): Seq[String] = {
    spark.conf.set("spark.sql.datetime.java8API.enabled", "true")
    val file = Files.write(Files.createTempDirectory("stoplog-golden").resolve(s"part.$name"), bytes)
    texts(spark.read.schema(Columns).format(name).load(file.toString).collect().toSeq)
  }
}

object GoldenOpenPartsSuite {

  private val Columns = StructType.fromDDL(
    "at TIMESTAMP NOT NULL, `köln 東京` STRING, n DECIMAL(20, 3), a ARRAY<STRUCT<x: INT, y: MAP<STRING, DATE>>>"
  )

  private def rows(numbers: Range): Seq[Row] = numbers.map { n =>
    Row(
      Instant.ofEpochSecond(1700000000L + n),
      if (n % 7 == 0) null else s"東京 ${n % 5}",
      new JBigDecimal(s"$n.125"),
      Seq.fill(n % 3)(Row(n, Map(s"k$n" -> LocalDate.ofEpochDay(n.toLong))))
    )
  }

  private def internal(rows: Seq[Row]): Seq[InternalRow] = {
    val convert = CatalystTypeConverters.createToCatalystConverter(Columns)
    val unsafe  = UnsafeProjection.create(Columns)
    rows.map(row => unsafe(convert(row).asInstanceOf[InternalRow]).copy())
  }

  private def line(n: Int): InternalRow = TextRows.of(s"row $n")

  private def texts(rows: Seq[Row]): Seq[String] = rows.map(Comparable.text)

  private def file(name: String, what: String): Path =
    Repository.root.resolve(s"scala-core/src/test/resources/golden/open-v1-$name.$what")

  /** The stored part. */
  private final class Left(name: String) {
    private val beside = new ByteArrayInputStream(Files.readAllBytes(file(name, "beside")))
    private val header = SpoolFrames.read(beside) match {
      case Some(SpoolFrames.Head(header)) => header
      case other                          => throw new AssertionError(s"$other")
    }
    private val begunAs = BulkSink.of(header.format, running = None)

    /** The whole file, with these rows behind those that wait. */
    def ended(more: Seq[InternalRow] = Nil): Array[Byte] = {
      val waiting = SpoolFrames.rows(beside, begunAs.schema.length).map(_.copy()).toVector
      PartInBlocks(Files.readAllBytes(file(name, "part")), header.directory)
        .block(begunAs.format, waiting ++ more)
        .ended(begunAs.format)
    }
  }

  /** Writes the files as this version does, for the first time. */
  def main(args: Array[String]): Unit = {
    val session = new SQLConf
    session.setConfString("spark.sql.session.timeZone", "UTC")
    val hadoop = new Configuration(false)
    val typed  = internal(rows(0 until 30))
    write(
      "parquet",
      "parquet",
      Columns,
      ParquetBulk(Columns, Map("compression" -> "gzip"), session, hadoop),
      typed
    )
    write("orc", "orc", Columns, OrcBulk(Columns, Map("compression" -> "zlib"), session, hadoop), typed)
    write(
      "own",
      BulkSink.UserFormat.Kind,
      StructType.fromDDL("value STRING"),
      BulkSink.UserFormat(UserObject.reference(new LineBlocks(1000), "bulkWriter")),
      (0 until 30).map(line)
    )
  }

  private def write(
      name: String,
      kind: String,
      schema: StructType,
      format: BlockFormat,
      rows: Seq[InternalRow]
  ): Unit = {
    format.open(schema)
    val sink             = BulkSink(kind, schema, format, PartLife.ManyEpochs)
    val (inBlocks, last) = rows.splitAt(20)
    val part             = inBlocks.grouped(10).foldLeft(PartInBlocks())(_.block(format, _))
    Files.write(file(name, "part"), part.bytes)
    val out = Files.newOutputStream(file(name, "beside"))
    SpoolFrames.write(SpoolFrames.Header(sink.description, part.directory), out)
    SpoolFrames.write(Iterator(page(last)), out)
    out.close()
  }

  private def page(rows: Seq[InternalRow]): RowPage = {
    val page = RowPage.empty(1 << 16)
    rows.foreach(row =>
      require(page.append(row.asInstanceOf[org.apache.spark.sql.catalyst.expressions.UnsafeRow]))
    )
    page
  }
}
