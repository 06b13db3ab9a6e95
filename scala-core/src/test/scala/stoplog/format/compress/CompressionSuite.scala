// SPDX-License-Identifier: Apache-2.0
package stoplog.format.compress

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, OutputStream}
import java.lang.ProcessBuilder.Redirect
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import scala.sys.process._
import scala.util.{Random, Try}

import com.github.luben.zstd.ZstdInputStream
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.io.compress.CompressionCodecFactory
import org.scalatest.funsuite.AnyFunSuite
import stoplog.LongRun
import stoplog.format.{SparkSessionForTests, TaskSerialization}
import stoplog.format.read.Decompression

class CompressionSuite extends AnyFunSuite with SparkSessionForTests {

  // Lines that compress somewhat, enough for several blocks of each codec, and short members between long ones.
  private val epochs: Seq[Array[Byte]] = {
    val random = new Random(7)
    Seq(1, 40000, 3, 12000, 1).map(n =>
      Seq.fill(n)(s"${random.nextInt(50000)} row ä\n").mkString.getBytes(UTF_8)
    )
  }

  private val whole: Array[Byte] = epochs.flatten.toArray

  private def part(compression: Compression, epochs: Seq[Array[Byte]] = epochs): Array[Byte] = {
    val out = new ByteArrayOutputStream
    epochs.foreach { bytes =>
      val member = compression.openMember(out)
      bytes.grouped(700).foreach(member.write(_))
      member.finish()
      member.close()
    }
    out.toByteArray
  }

  private def file(compression: Compression, bytes: Array[Byte]): Path =
    Files.write(
      Files.createTempDirectory("stoplog-compress").resolve(s"part-0.txt${compression.suffix}"),
      bytes
    )

  private def byHadoop(compression: Compression, bytes: Array[Byte]): Array[Byte] = {
    val factory = new CompressionCodecFactory(new Configuration(false))
    val codec   = factory.getCodec(new org.apache.hadoop.fs.Path("part-0.txt" + compression.suffix))
    codec.createInputStream(new ByteArrayInputStream(bytes)).readAllBytes()
  }

  private def byCommand(command: Seq[String], file: Path): Array[Byte] = {
    // Scala's own `#>` may answer before the last bytes have come through its pipe.
    val process = new java.lang.ProcessBuilder((command :+ file.toString): _*)
      .redirectError(Redirect.DISCARD)
      .start()
    val bytes = process.getInputStream.readAllBytes()
    assert(process.waitFor() === 0)
    bytes
  }

  for (compression <- Seq(Compression.Gzip, Compression.Bzip2, Compression.Lz4, Compression.Snappy))
    test(
      s"${compression.name}: Hadoop's codec for ${compression.suffix} reads the members as a single file"
    ) {
      assert(byHadoop(compression, part(compression)) === whole)
    }

  test("zstd: the zstd library reads the frames as a single file") {
    val bytes = part(Compression.Zstd)
    assert(new ZstdInputStream(new ByteArrayInputStream(bytes)).readAllBytes() === whole)
  }

  for (compression <- Compression.All) {
    test(s"${compression.name}: Spark recognizes the file by suffix and reads all rows") {
      assume(
        compression != Compression.Zstd || spark.version >= "4.1",
        "Spark 4.0 needs Hadoop's native zstd"
      )
      val rows =
        spark.read.text(file(compression, part(compression)).toString).collect().map(_.getString(0)).toSeq
      assert(rows === new String(whole, UTF_8).linesIterator.toSeq)
    }

    test(s"${compression.name}: a part truncated to the end of an epoch is complete and resumes") {
      assume(
        compression != Compression.Zstd || spark.version >= "4.1",
        "Spark 4.0 needs Hadoop's native zstd"
      )
      val valid = part(compression, epochs.take(2))
      val torn  = part(compression).take(valid.length + 5)
      assert(torn.startsWith(valid))
      val resumed = torn.take(valid.length) ++ part(compression, epochs.drop(3))
      val rows    = spark.read.text(file(compression, resumed).toString).count()
      assert(rows === 1 + 40000 + 12000 + 1)
    }

    test(s"${compression.name}: Spark continues after an epoch with a large last write and an empty epoch") {
      assume(
        compression != Compression.Zstd || spark.version >= "4.1",
        "Spark 4.0 needs Hadoop's native zstd"
      )
      val random = new Random(11)
      val rows   = Seq("before", random.alphanumeric.take(300 << 10).mkString, "after")
      val whole  = new ByteArrayOutputStream
      Seq(rows.head + "\n", rows(1) + "\n", "", rows(2) + "\n").foreach { text =>
        val member = compression.openMember(whole)
        member.write(text.getBytes(UTF_8)) // at once
        member.finish()
        member.close()
      }
      assert(
        spark.read.text(file(compression, whole.toByteArray).toString).collect().map(_.getString(0)) === rows
      )
    }

    test(s"${compression.name}: an empty member is not written") {
      assert(part(compression, Seq(Array.emptyByteArray)) === Array.emptyByteArray)
    }

    test(s"${compression.name}: finishing a member leaves the part's stream open and unflushed") {
      val out = new ByteArrayOutputStream {
        override def flush(): Unit = fail("flushed")
        override def close(): Unit = fail("closed")
      }
      val member = compression.openMember(out)
      member.write('a')
      member.write("bc\n".getBytes)
      member.flush()
      member.finish()
      val length = out.size
      member.finish()
      member.close()
      assert(out.size === length)
      assert(length > 0)
    }

    test(s"${compression.name}: an abandoned member writes no further bytes") {
      val out    = new ByteArrayOutputStream
      val member = compression.openMember(out)
      member.write(epochs.head)
      val length = out.size
      member.close()
      member.finish()
      assert(out.size === length)
    }

    test(s"${compression.name}: a member fails if the storage fails, and can still be closed") {
      var full = false
      val disk = new OutputStream {
        override def write(b: Int): Unit = if (full) throw new java.io.IOException("No space left on device")
      }
      val member = compression.openMember(disk)
      full = true
      intercept[java.io.IOException] {
        member.write(epochs(1))
        member.finish()
      }
      Try(member.close())
    }
  }

  for (compression <- Seq(Compression.Lz4, Compression.Snappy))
    test(s"${compression.name}: the source skips empty blocks and rejects broken blocks") {
      val empty                     = new Array[Byte](4)
      val rows                      = part(compression, epochs.take(3))
      def read(bytes: Array[Byte]*) =
        Decompression.ofName(compression.suffix).get(new ByteArrayInputStream(bytes.toArray.flatten))
      assert(
        read(empty, rows, empty, empty, rows, empty)
          .readAllBytes() === (epochs.take(3) ++ epochs.take(3)).flatten
      )
      for (broken <- Seq(Array[Byte](0, 0), Array[Byte](-1, -1, -1, -1), Array[Byte](0, 0, 0, 9)))
        intercept[java.io.IOException](read(rows, empty, broken).readAllBytes())
    }

  test("bzip2, none: each row is read once regardless of Spark's split size", LongRun.Only) {
    val size = "spark.sql.files.maxPartitionBytes"
    val rows = new String(whole, UTF_8).linesIterator.toSeq.sorted
    try
      for {
        compression <- Seq(Compression.Bzip2, Compression.None)
        splitBytes  <- Seq(2003, 7919, 30000)
      } {
        spark.conf.set(size, splitBytes.toLong)
        val read = spark.read.text(file(compression, part(compression)).toString)
        assert(read.rdd.getNumPartitions > 2)
        assert(
          read.collect().map(_.getString(0)).toSeq.sorted === rows,
          s"$compression in splits of $splitBytes"
        )
      }
    finally spark.conf.unset(size)
  }

  for (
    (compression, command) <- Seq(
      Compression.Gzip  -> Seq("gzip", "-dc"),
      Compression.Bzip2 -> Seq("bzip2", "-dc"),
      Compression.Zstd  -> Seq("zstd", "-dcq")
    )
  )
    test(s"${compression.name}: the command ${command.head} reads the members as a single file") {
      assume(
        Try(Seq(command.head, "--version").!(ProcessLogger(_ => ()))).isSuccess,
        s"${command.head} is not installed"
      )
      assert(byCommand(command, file(compression, part(compression))) === whole)
    }

  test("names are case-insensitive, and unknown names are not found") {
    for (compression <- Compression.All)
      assert(Compression.named(compression.name.toUpperCase) === Some(compression))
    assert(Compression.named("gz") === None)
    assert(Compression.All.map(_.suffix) === Seq("", ".gz", ".zst", ".lz4", ".snappy", ".bz2"))
  }

  test("compressions remain singletons after serialization to tasks") {
    for (compression <- Compression.All)
      assert(TaskSerialization.toTask[Compression](compression) eq compression)
  }
}
