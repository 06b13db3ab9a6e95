// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import java.io.InputStream
import java.nio.charset.StandardCharsets.{UTF_16BE, UTF_8}
import java.nio.file.{Files, Path}
import java.time.Instant
import java.util.{Properties, TimeZone}

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import org.apache.avro.file.DataFileReader
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector
import org.apache.orc.{OrcFile, TypeDescription}
import org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Row, functions}
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.format.{RowCompactor, SparkSessionForTests}
import stoplog.format.avro.AvroCompactor
import stoplog.part.BlockOutput
import stoplog.format.compress.Compression
import stoplog.format.orc.{OrcCompactor, OrcTables}
import stoplog.format.parquet.{KmsForTests, ParquetCompactor, ParquetTables}
import stoplog.format.read.Decompression
import stoplog.format.sequence.SequenceCompactor

/** Files that Spark's own sinks have written, merged, and read back by Spark. */
class CompactorsSuite extends AnyFunSuite with SparkSessionForTests {
  import CompactorsSuite._

  private def hadoop: Configuration = new Configuration(spark.sparkContext.hadoopConfiguration)

  for ((how, blockBytes) <- Seq("written again" -> (128 << 20), "copied" -> 1000))
    test(s"Parquet of all types keeps its rows, row groups $how") {
      val random = new ParquetTables(seed = 7)
      val schema = random.schema()
      val rows   = Seq.fill(300)(random.row(schema))
      val from   = written(frame(rows, schema, files = 4), "parquet")
      val conf   = hadoop
      conf.set("parquet.block.size", blockBytes.toString)
      val merged = compacted(ParquetCompactor(conf), from, ".parquet")
      assert(
        rowsOf("parquet", merged.toString) === rowsOf("parquet", from.toString)
      )
      assert(rowGroups(merged) === (if (how == "copied") 4 else 1))
      assert(metadata(merged) === metadata(inputs(from, ".parquet").head.path), "Spark's own entries")
    }

  test("rewritten Parquet fills row groups to the requested size, also with large rows") {
    val large = functions.expr("concat(id, '-', repeat('0123456789abcdef', 16384))") // 256 KiB
    val from  = written(spark.range(0, 80, 1, 8).select(large.as("text")), "parquet", "compression" -> "none")
    val conf  = hadoop
    conf.set("parquet.block.size", (8 << 20).toString)
    val merged = compacted(ParquetCompactor(conf), from, ".parquet")
    assert(rowsOf("parquet", merged.toString) === rowsOf("parquet", from.toString))
    val mebibytes = Using.resource(opened(merged))(_.getRowGroups.asScala.map(_.getTotalByteSize >> 20).toSeq)
    assert(mebibytes.size === 3 && mebibytes.init.forall(size => size >= 8 && size <= 10), mebibytes)
  }

  for (blockBytes <- Seq(128 << 20, 1000))
    test(s"Parquet keeps Bloom filters and indexes, with row groups of $blockBytes bytes") {
      val conf = hadoop
      conf.set("parquet.block.size", blockBytes.toString)
      conf.set("parquet.bloom.filter.enabled#id", "true")
      val from =
        written(spark.range(0, 2000, 1, 2).toDF(), "parquet", "parquet.bloom.filter.enabled#id" -> "true")
      val merged = compacted(ParquetCompactor(conf), from, ".parquet")
      Using.resource(opened(merged)) { reader =>
        reader.getRowGroups.asScala.foreach { group =>
          val chunk = group.getColumns.get(0)
          assert(reader.getBloomFilterDataReader(group).readBloomFilter(chunk) != null)
          assert(reader.readColumnIndex(chunk) != null && reader.readOffsetIndex(chunk) != null)
        }
      }
      assert(spark.read.parquet(merged.toString).filter("id = 1500").count() === 1)
    }

  test("a session with Parquet encryption does not change a compaction") {
    val rows = spark.range(0, 800, 1, 8).selectExpr("id", "sha1(cast(id as string)) as text")
    val from = written(rows, "parquet", "compression" -> "none")
    val conf = hadoop
    conf.set("parquet.block.size", "20000")
    conf.set("parquet.crypto.factory.class", classOf[PropertiesDrivenCryptoFactory].getName)
    conf.set("parquet.encryption.kms.client.class", classOf[KmsForTests].getName)
    conf.set("parquet.encryption.footer.key", "of-footer")
    conf.set("parquet.encryption.column.keys", "of-text:text")
    val merged = compacted(ParquetCompactor(conf), from, ".parquet")
    assert(rowsOf("parquet", merged.toString) === rowsOf("parquet", from.toString))
    assert(rowGroups(merged) > 1)
  }

  test("Parquet files of different schemas are not compacted together") {
    val one   = written(spark.range(3).toDF("a"), "parquet")
    val other = written(spark.range(3).toDF("b"), "parquet")
    val files = inputs(one, ".parquet") ++ inputs(other, ".parquet")
    assert(files.map(ParquetCompactor(hadoop).likeness).distinct.size === 2)
    intercept[IllegalArgumentException](ParquetCompactor(hadoop).compact(files, new FileOutput(newFile("x"))))
  }

  for ((how, stripeBytes) <- Seq("written again" -> (64 << 20), "copied" -> 1000))
    test(s"ORC of all types keeps its rows, stripes $how") {
      val random = new OrcTables(seed = 7)
      val schema = random.schema()
      val rows   = random.rows(schema, 400)
      val from   = written(frame(rows, schema, files = 4), "orc")
      val conf   = hadoop
      conf.set("orc.stripe.size", stripeBytes.toString)
      val merged = compacted(OrcCompactor(conf), from, ".orc")
      assert(rowsOf("orc", merged.toString) === rowsOf("orc", from.toString))
      Using.resource(OrcFile.createReader(merged, OrcFile.readerOptions(conf))) { reader =>
        assert(reader.getNumberOfRows === 400)
        assert(stripesOf(merged) === (if (how == "copied") 4 else 1))
        assert(reader.hasMetadataValue("org.apache.spark.version"))
      }
    }

  for (column <- Seq("t", "array(named_struct('t', t)) as t"))
    test(s"ORC of a different time zone is copied, and its times stay: $column") {
      val hours = (0 until 48).map(hour => java.sql.Timestamp.from(SpringForward.plusSeconds(hour * 1800L)))
      val rows  = frame(hours.map(Row(_)), StructType.fromDDL("t timestamp"), files = 4).selectExpr(column)
      val from  = inZone("UTC")(written(rows, "orc"))
      for ((zone, stripes) <- Seq("Europe/Berlin" -> 4, "UTC" -> 1)) {
        val merged = inZone(zone)(compacted(OrcCompactor(hadoop), from, ".orc"))
        assert(
          inZone("UTC")(rowsOf("orc", merged.toString)) === inZone("UTC")(rowsOf("orc", from.toString)),
          zone
        )
        assert(stripesOf(merged) === stripes, s"in $zone")
      }
    }

  test("ORC of a different time zone is rejected or rewritten if not copied") {
    for ((column, stays) <- Seq("timestamp" -> true, "timestamp with local time zone" -> false)) {
      val files = inZone("UTC")(Seq(1, 2).map(_ => ofOldWriter(s"struct<t:$column>")))
      inZone("Europe/Berlin") {
        val compactor = OrcCompactor(hadoop)
        val refused   = files.map(file => Try(compactor.likeness(file)).isFailure)
        assert(refused === Seq(stays, stays), column)
        val out = newFile("merged.orc")
        assert(
          Try(Using.resource(new FileOutput(out))(compactor.compact(files, _))).isFailure === stays,
          column
        )
      }
      inZone("UTC")(assert(files.map(OrcCompactor(hadoop).likeness).distinct.size === 1))
    }
  }

  for ((how, interval) <- Seq("written again" -> 64000, "copied" -> 40))
    test(s"Avro keeps its rows and metadata, blocks $how") {
      val rows = spark
        .range(0, 500, 1, 4)
        .selectExpr("id", "array(named_struct('x', id, 'y', cast(id as string))) as nested")
      val to   = Files.createTempDirectory("avro").resolve("out")
      val sink = FileSink.forBulkFormat(to.toString, "avro").withOption("bucketAssigner", "basePath")
      sink.withCompression("zstandard").build().write(rows).save()
      val merged = compacted(new AvroCompactor(interval), to, ".avro")
      val read   = new DataFileReader[GenericRecord](
        new java.io.File(merged.toUri),
        new GenericDatumReader[GenericRecord]()
      )
      assert(read.iterator.asScala.map(_.get("id")).toSeq === (0L until 500L))
      assert(read.getMetaString("org.apache.spark.version") != null)
      assert(read.getMetaString("avro.codec") === "zstandard")
    }

  test("SequenceFiles keep their rows") {
    val pairs = (0 until 100).map(n => n.toLong -> s"word $n")
    val from  = Files.createTempDirectory("sequence").resolve("out")
    spark.sparkContext.parallelize(pairs, 3).saveAsSequenceFile(s"file:$from")
    val merged = compacted(SequenceCompactor, from, "")
    assert(spark.sparkContext.sequenceFile[Long, String](merged.toString).collect().toSeq === pairs)
  }

  for (compression <- Compression.All)
    test(s"CSV with a header, compressed by ${compression.name}, keeps a single header") {
      val header = "id,word\n".getBytes(UTF_8)
      val files  = (0 until 3).map { n =>
        val file = newFile(s"$n.csv${compression.suffix}")
        Using.resource(Files.newOutputStream(file)) { out =>
          Seq(s"id,word\n$n,a\n", s"$n,b\n").foreach { text => // two epochs
            Using.resource(compression.openMember(out)) { member =>
              member.write(text.getBytes(UTF_8))
              member.finish()
            }
          }
        }
        CompactionInput(new HadoopPath(file.toUri), Files.size(file), hadoop)
      }
      val merged = newFile(s"merged.csv${compression.suffix}")
      Using.resource(new FileOutput(merged))(new RowCompactor(compression, header).compact(files, _))
      assert(unpacked(compression, merged) === "id,word\n0,a\n0,b\n1,a\n1,b\n2,a\n2,b\n")
      val other = new RowCompactor(compression, "other\n".getBytes(UTF_8))
      intercept[java.io.IOException](other.compact(files, new FileOutput(newFile("x"))))
      val lines = newFile(s"lines${compression.suffix}")
      Using.resource(new FileOutput(lines))(
        new RowCompactor(compression, Array.emptyByteArray).compact(files, _)
      )
      assert(
        unpacked(compression, lines) === files.map(f => unpacked(compression, Path.of(f.path.toUri))).mkString
      )
    }

  for (compression <- Compression.All)
    test(s"CSV with a header, compressed by ${compression.name}, is rejected with missing rows") {
      val header = "id,word\n".getBytes(UTF_8)
      val lines  = (0 until 50000).map(n => s"$n,${n.hashCode.toHexString}\n")
      val files  = Seq(lines.take(2), lines).map { rows =>
        val file = newFile(s"part.csv${compression.suffix}")
        Using.resource(Files.newOutputStream(file)) { out =>
          Using.resource(compression.openMember(out)) { member =>
            member.write(header)
            rows.foreach(row => member.write(row.getBytes(UTF_8)))
            member.finish()
          }
        }
        CompactionInput(new HadoopPath(file.toUri), Files.size(file), hadoop, Some(rows.size.toLong))
      }
      def merge(files: Seq[CompactionInput]) =
        Using.resource(new FileOutput(newFile("x")))(new RowCompactor(compression, header).compact(files, _))
      merge(files)
      val told = intercept[SparkThrowable](merge(Seq(files.head, files.last.copy(records = Some(50001)))))
      assert(told.getCondition === "STOPLOG_MERGE_INCOMPLETE")
      val torn = Path.of(files.last.path.toUri)
      Files.write(torn, Files.readAllBytes(torn).take((files.last.sizeBytes * 2 / 3).toInt))
      intercept[Exception](merge(files))
      intercept[Exception](merge(files.reverse))
    }

  test("JSON in UTF-16 keeps a single byte order mark, regardless of recorded rows") {
    val mark  = Array(0xfe, 0xff).map(_.toByte)
    val files = Seq("1", "2").map { row =>
      val file = Files.write(newFile("part.json"), mark ++ s"$row\n".getBytes(UTF_16BE))
      CompactionInput(new HadoopPath(file.toUri), Files.size(file), hadoop, records = Some(1))
    }
    val merged = newFile("merged.json")
    Using.resource(new FileOutput(merged))(new RowCompactor(Compression.None, mark).compact(files, _))
    assert(Files.readAllBytes(merged) === mark ++ "1\n2\n".getBytes(UTF_16BE))
  }

  private def rowsOf(format: String, path: String): Seq[String] =
    spark.read.format(format).load(path).collect().toSeq.map(shown).sorted

  private def shown(value: Any): String = value match {
    case bytes: Array[Byte]              => bytes.mkString("bytes(", " ", ")")
    case row: Row                        => row.toSeq.map(shown).mkString("[", ", ", "]")
    case map: scala.collection.Map[_, _] =>
      map.toSeq.map(e => shown(e._1) + "=" + shown(e._2)).sorted.mkString("{", ", ", "}")
    case several: Iterable[_] => several.map(shown).mkString("(", ", ", ")")
    case other                => String.valueOf(other)
  }

  private def unpacked(compression: Compression, file: Path): String =
    Using.resource(reader(compression)(Files.newInputStream(file)))(in =>
      new String(in.readAllBytes(), UTF_8)
    )

  private def frame(rows: Seq[Row], schema: StructType, files: Int): DataFrame =
    spark.createDataFrame(spark.sparkContext.parallelize(rows, files), schema)

  private def written(rows: DataFrame, format: String, options: (String, String)*): Path = {
    val to = Files.createTempDirectory(format).resolve("out")
    rows.write.format(format).options(options.toMap).save(to.toString)
    to
  }

  private def compacted(compactor: Compactor, from: Path, suffix: String): HadoopPath = {
    val file = newFile(s"merged$suffix")
    Using.resource(new FileOutput(file))(compactor.compact(inputs(from, suffix), _))
    new HadoopPath(file.toUri)
  }

  private def inputs(from: Path, suffix: String): Seq[CompactionInput] =
    Using
      .resource(Files.list(from))(_.iterator.asScala.toVector)
      .filter(f => f.getFileName.toString.startsWith("part-") && f.toString.endsWith(suffix))
      .sortBy(_.toString)
      .map(file => CompactionInput(new HadoopPath(file.toUri), Files.size(file), hadoop))

  private def rowGroups(file: HadoopPath): Int = Using.resource(opened(file))(_.getRowGroups.size)

  private def stripesOf(file: HadoopPath): Int =
    Using.resource(OrcFile.createReader(file, OrcFile.readerOptions(hadoop)))(_.getStripes.size)

  /** A file whose stripes are not copied, because another writer's version is on them. */
  private def ofOldWriter(schema: String): CompactionInput = {
    val file   = newFile("old.orc")
    val path   = new HadoopPath(file.toUri)
    val writer =
      OrcFile.createWriter(path, new OldWriter(hadoop).setSchema(TypeDescription.fromString(schema)))
    val batch = TypeDescription.fromString(schema).createRowBatch()
    batch.cols(0).asInstanceOf[TimestampColumnVector].set(0, java.sql.Timestamp.from(SpringForward))
    batch.size = 1
    writer.addRowBatch(batch)
    writer.close()
    CompactionInput(path, Files.size(file), hadoop)
  }

  /** The suites of a JVM run one after the other. */
  private def inZone[A](zone: String)(action: => A): A = {
    val before = TimeZone.getDefault
    TimeZone.setDefault(TimeZone.getTimeZone(zone))
    try action
    finally TimeZone.setDefault(before)
  }

  private def metadata(file: HadoopPath): Map[String, String] =
    Using
      .resource(opened(file))(_.getFileMetaData.getKeyValueMetaData.asScala.toMap)
      .filter(_._1.startsWith("org.apache.spark"))

  private def opened(file: HadoopPath) = ParquetFileReader.open(HadoopInputFile.fromPath(file, hadoop))
}

private object CompactorsSuite {

  /** Berlin has no 02:30 on this day, and UTC has. */
  val SpringForward: Instant = Instant.parse("2026-03-29T00:00:00Z")

  final class OldWriter(conf: Configuration) extends OrcFile.WriterOptions(new Properties, conf) {
    writerVersion(OrcFile.WriterVersion.HIVE_13083): Unit
  }

  def reader(compression: Compression): InputStream => InputStream =
    Decompression.ofName(compression.suffix).getOrElse(in => in)

  def newFile(name: String): Path = Files.createTempDirectory("compact").resolve(name)

  /** A file as the part that a merge writes. */
  final class FileOutput(file: Path) extends BlockOutput {
    private val out = Files.newOutputStream(file)
    private var at  = 0L

    override def position: Long         = at
    override def write(byte: Int): Unit = {
      out.write(byte)
      at += 1
    }
    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      out.write(bytes, offset, length)
      at += length
    }
    override def close(): Unit = out.close()
  }
}
