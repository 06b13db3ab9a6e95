// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.util.Using

import org.apache.avro.SchemaBuilder
import org.apache.avro.file.DataFileWriter
import org.apache.avro.generic.{GenericDatumWriter, GenericRecord, GenericRecordBuilder}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.hadoop.io.{LongWritable, SequenceFile, Text}
import org.apache.hadoop.io.SequenceFile.{CompressionType, Writer}
import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.compact.CompactorsSuite.FileOutput
import stoplog.format.avro.AvroCompactor
import stoplog.format.sequence.SequenceCompactor

/** Inputs that end early: a compaction that took their end for the end of the rows would delete the rest. */
class TornInputsSuite extends AnyFunSuite {
  private val hadoop = new Configuration(false)
  private val root   = Files.createTempDirectory("stoplog-torn")

  private val formats: Seq[(String, Path => Unit, Compactor)] =
    Seq[(String, Path => Unit, Compactor)](
      ("Avro, written again", avro, new AvroCompactor(1 << 20)),
      ("Avro, copied", avro, new AvroCompactor(32))
    ) ++ CompressionType.values.map { kind =>
      (s"SequenceFile, $kind", (file: Path) => sequence(file, kind), SequenceCompactor: Compactor)
    }

  for ((name, write, compactor) <- formats) {
    test(s"an input that ends within its last block is not compacted: $name") {
      val file = root.resolve("part")
      write(file)
      val bytes = Files.readAllBytes(file)
      compact(compactor, Seq(input(file), input(file)))
      for (cut <- 1 to 20) {
        val torn = Files.write(root.resolve("torn"), bytes.dropRight(cut))
        for (inputs <- Seq(Seq(torn, file), Seq(file, torn)))
          intercept[IOException](compact(compactor, inputs.map(input(_))))
      }
    }

    test(s"an input whose storage ends a read early is not compacted: $name") {
      val file = root.resolve("early")
      write(file)
      val size  = Files.size(file)
      val early = input(file).copy(sizeBytes = size + 1)
      val error = intercept[IOException](compact(compactor, Seq(early, input(file))))
      assert(error.toString.contains(s"$size of ${size + 1} bytes"))
    }

    test(s"an input with fewer rows than in the log is not compacted: $name") {
      val file = root.resolve("counted")
      write(file)
      def rows(count: Long) = input(file).copy(records = Some(count))
      compact(compactor, Seq(rows(Rows), rows(Rows)))
      val error = intercept[SparkThrowable](compact(compactor, Seq(rows(Rows), rows(Rows + 1))))
      assert(error.getCondition === "STOPLOG_MERGE_INCOMPLETE")
    }
  }

  private def compact(compactor: Compactor, inputs: Seq[CompactionInput]): Unit =
    Using.resource(new FileOutput(root.resolve("merged")))(compactor.compact(inputs, _))

  private def input(file: Path) =
    CompactionInput(new HadoopPath(file.toUri), Files.size(file), hadoop)

  private final val Rows = 100L

  private def avro(file: Path): Unit = {
    val schema = SchemaBuilder.record("r").fields().requiredLong("id").endRecord()
    val writer = new DataFileWriter[GenericRecord](new GenericDatumWriter[GenericRecord])
    Using.resource(writer.create(schema, file.toFile)) { out =>
      (0L until Rows).foreach(id => out.append(new GenericRecordBuilder(schema).set("id", id).build()))
    }
  }

  private def sequence(file: Path, kind: CompressionType): Unit = Using.resource(
    SequenceFile.createWriter(
      hadoop,
      Writer.file(new HadoopPath(file.toUri)),
      Writer.keyClass(classOf[LongWritable]),
      Writer.valueClass(classOf[Text]),
      Writer.compression(kind)
    )
  ) { out =>
    (0L until Rows).foreach(id => out.append(new LongWritable(id), new Text(s"text number $id")))
  }
}
