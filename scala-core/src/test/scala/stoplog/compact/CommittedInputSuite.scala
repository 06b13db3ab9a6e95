// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import java.io.EOFException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, StandardOpenOption}

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.compact.CompactorsSuite.FileOutput
import stoplog.format.SparkSessionForTests
import stoplog.format.orc.OrcCompactor
import stoplog.format.parquet.ParquetCompactor

/** Inputs with bytes after the committed ones, in each format. */
class CommittedInputSuite extends AnyFunSuite with SparkSessionForTests {
  private def hadoop = new Configuration(spark.sparkContext.hadoopConfiguration)

  private def withJunk(file: Path): CompactionInput = {
    val committed = Files.size(file)
    Files.write(file, Array.fill(1000)('x'.toByte), StandardOpenOption.APPEND)
    CompactionInput(new HadoopPath(file.toUri), committed, hadoop, storedBytes = Some(committed + 1000))
  }

  for {
    (format, compactor) <- Seq[(String, () => Compactor)](
      "parquet" -> (() => ParquetCompactor(hadoop)),
      "orc"     -> (() => OrcCompactor(hadoop))
    )
  } test(s"a compaction of $format reads no bytes after the committed length") {
    val root = Files.createTempDirectory("stoplog-committed")
    spark.range(0, 20, 1, 2).write.format(format).mode("overwrite").save(s"$root/in")
    val parts = Files
      .list(root.resolve("in"))
      .toArray
      .map(_.asInstanceOf[Path])
      .filter(_.getFileName.toString.startsWith("part-"))
    parts.foreach(file => Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc")))
    val files = parts.toSeq.map(withJunk)
    files.foreach(file => compactor().likeness(file))
    Files.createDirectory(root.resolve("out"))
    val merged = root.resolve(s"out/merged.$format")
    Using.resource(new FileOutput(merged))(compactor().compact(files, _))
    val rows =
      spark.read.format(format).load(merged.toString).selectExpr("sum(id)", "count(*)").collect().head
    assert((rows.getLong(0), rows.getLong(1)) === (190L, 20L))
  }

  test("the stream of an input ends after the committed bytes, from any position") {
    val file  = Files.write(Files.createTempFile("stoplog-committed", ".txt"), "good\njunk\n".getBytes(UTF_8))
    val input = CompactionInput(new HadoopPath(file.toUri), 5, hadoop, storedBytes = Some(10))
    Using.resource(input.open())(in => assert(new String(in.readAllBytes(), UTF_8) === "good\n"))
    Using.resource(input.open()) { in =>
      in.seek(3)
      assert((in.read(), in.read(), in.read()) === (('d'.toInt, '\n'.toInt, -1)))
      intercept[EOFException](in.seek(6))
      in.readFully(1, new Array[Byte](4))
      intercept[EOFException](in.readFully(1, new Array[Byte](5)))
    }
  }
}
