// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.avro.SchemaBuilder
import org.apache.avro.file.DataFileWriter
import org.apache.avro.generic.{GenericDatumWriter, GenericRecord}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector
import org.apache.orc.{OrcFile, OrcProto, Reader, TypeDescription}
import org.apache.orc.impl.PhysicalFsWriter
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.avro.AvroCompactor
import stoplog.format.orc.OrcCompactor
import stoplog.format.parquet.ParquetCompactor

/** Files of other programs and other releases: a merge loses none of their rows, and makes no value another. */
class OtherWritersSuite extends AnyFunSuite {
  import CompactorsSuite._
  import OtherWritersSuite._

  private val hadoop = new Configuration()

  // Small enough for stripes to be copied as they are.
  private val orcSettings = new Configuration(hadoop)
  orcSettings.set("orc.stripe.size", "1000")

  test("ORC stripes are copied if the current writer would write identical stripes") {
    val (values, stripes) = merged(orc(1)(), orc(2)())
    assert(values === valuesOf(1) ++ valuesOf(2))
    assert(stripes === 2)
  }

  test("ORC without stripe statistics is rewritten") {
    def bare(seed: Int) = orc(seed)(statistics = false)
    for (files <- Seq(Seq(bare(1), bare(2)), Seq(orc(1)(), bare(2)))) {
      val (values, stripes) = merged(files: _*)
      assert(values === valuesOf(1) ++ valuesOf(2))
      assert(stripes === 1)
    }
  }

  for (version <- Seq(OrcFile.WriterVersion.ORC_135, OrcFile.WriterVersion.HIVE_13083))
    test(s"ORC of the older writer $version is rewritten, as readers distrust its statistics") {
      def old(seed: Int)    = orc(seed)(postScript = _.setWriterVersion(version.getId))
      val (values, stripes) = merged(old(1), old(2))
      assert(values === valuesOf(1) ++ valuesOf(2))
      assert(stripes === 1)
    }

  test("a compaction fails if its output lacks rows of the inputs") {
    val files = Seq(orc(1)(), orc(2)(footer = _.setNumberOfRows(Rows + 7)))
    val error = intercept[SparkThrowable](merged(files: _*))
    assert(error.getCondition === "STOPLOG_MERGE_INCOMPLETE")
    assert(error.getMessageParameters.get("rows") === s"${2 * Rows + 7}")
    assert(error.getMessageParameters.get("written") === s"${2 * Rows}")
  }

  private val likenesses = Seq[(String, Map[String, String] => String, Int)](
    ("Parquet", parquet(_), 4), // INT96 has a rule of its own
    ("Avro", avro(_), 3)
  )

  for ((format, likeness, rules) <- likenesses)
    test(s"$format: files with different rules for old dates are incompatible, and other files compatible") {
      def of(version: String, more: (String, String)*) = likeness(more.toMap + (Version -> version))
      val today                                        = of("4.2.0")
      val byAge = Seq(likeness(Map.empty), of("2.4.8"), of("3.0.3"), today)
      assert(byAge.distinct.size === rules)
      assert(Seq(of("3.1.0"), of("3.5.1"), of("4.0.0", Zone -> "UTC")).distinct === Seq(today))
      val legacy = Seq("UTC", "Europe/Berlin").map(zone => of("4.2.0", LegacyDates -> "", Zone -> zone))
      assert((legacy :+ today).distinct.size === 3)
      assert(legacy.head === of("3.1.0", LegacyDates -> "", Zone -> "UTC"))
    }

  private def parquet(entries: Map[String, String]): String = {
    val file = newFile("a.parquet")
    ExampleParquetWriter
      .builder(HadoopOutputFile.fromPath(new HadoopPath(file.toUri), hadoop))
      .withType(MessageTypeParser.parseMessageType("message m { required int32 day; }"))
      .withExtraMetaData(entries.asJava)
      .build()
      .close()
    ParquetCompactor(hadoop).likeness(input(file))
  }

  private def avro(entries: Map[String, String]): String = {
    val file = newFile("a.avro")
    Using.resource(new DataFileWriter[GenericRecord](new GenericDatumWriter[GenericRecord])) { writer =>
      entries.foreach { case (key, value) => writer.setMeta(key, value) }
      writer.create(SchemaBuilder.record("r").fields().requiredInt("day").endRecord(), file.toFile): Unit
    }
    new AvroCompactor(64000).likeness(input(file))
  }

  /** The rows of the files as one, and how many stripes that has. */
  private def merged(files: Path*): (Seq[Long], Int) = {
    val to = newFile("merged.orc")
    Using.resource(new FileOutput(to))(OrcCompactor(orcSettings).compact(files.map(input), _))
    Using.resource(OrcFile.createReader(new HadoopPath(to.toUri), OrcFile.readerOptions(hadoop))) { reader =>
      assert(reader.getWriterVersion === OrcFile.CURRENT_WRITER)
      (values(reader), reader.getStripes.size)
    }
  }

  private def values(reader: Reader): Seq[Long] = Using.resource(reader.rows()) { rows =>
    val batch = reader.getSchema.createRowBatch()
    Iterator
      .continually(rows.nextBatch(batch))
      .takeWhile(identity)
      .flatMap(_ => batch.cols(0).asInstanceOf[LongColumnVector].vector.take(batch.size))
      .toVector
  }

  private def input(file: Path): CompactionInput =
    CompactionInput(new HadoopPath(file.toUri), Files.size(file), hadoop)

  /** A file of [[valuesOf]] this seed in one stripe, whose end says more or less than orc-core would.
    *
    * @param statistics whether it has those of its stripes
    */
  private def orc(seed: Int)(
      statistics: Boolean = true,
      footer: OrcProto.Footer.Builder => Any = identity,
      postScript: OrcProto.PostScript.Builder => Any = identity
  ): Path = {
    val file    = newFile("a.orc")
    val path    = new HadoopPath(file.toUri)
    val options = OrcFile.writerOptions(hadoop).setSchema(TypeDescription.fromString("struct<id:bigint>"))
    val end     = new PhysicalFsWriter(path.getFileSystem(hadoop), path, options) {
      override def writeFileMetadata(builder: OrcProto.Metadata.Builder): Unit =
        if (statistics) super.writeFileMetadata(builder)

      override def writeFileFooter(builder: OrcProto.Footer.Builder): Unit = {
        footer(builder)
        super.writeFileFooter(builder)
      }

      override def writePostScript(builder: OrcProto.PostScript.Builder): Long = {
        postScript(builder)
        super.writePostScript(builder)
      }
    }
    Using.resource(OrcFile.createWriter(path, options.physicalWriter(end))) { writer =>
      val batch = options.getSchema.createRowBatch()
      valuesOf(seed).zipWithIndex.foreach { case (value, row) =>
        batch.cols(0).asInstanceOf[LongColumnVector].vector(row) = value
      }
      batch.size = Rows
      writer.addRowBatch(batch)
    }
    file
  }
}

private object OtherWritersSuite {
  final val Rows = 100

  def valuesOf(seed: Int): Seq[Long] = {
    val random = new scala.util.Random(seed)
    Vector.fill(Rows)(random.nextLong())
  }

  val Version     = "org.apache.spark.version"
  val LegacyDates = "org.apache.spark.legacyDateTime"
  val Zone        = "org.apache.spark.timeZone"
}
