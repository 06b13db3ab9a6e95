// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.format.SparkSessionForTests
import stoplog.storage.ValidLengthNames

/** Jobs that replace, compact or read files, next to hidden files, tables of others and valid-length files. */
class VisibleFilesJobsSuite extends AnyFunSuite with SparkSessionForTests {

  private val tables = Seq(
    Seq("_spark_metadata/0"),
    Seq("_delta_log/00.json"),
    Seq(".hoodie/hoodie.properties"),
    Seq("_orc_acid_version"),
    Seq("metadata/v1.metadata.json"),
    Seq("snapshot/LATEST", "manifest/m", "schema/schema-0"),
    Seq("base_0000001/bucket_0")
  )

  private val log = Seq("_stoplog/main/log/0")

  test("each job rejects foreign tables in, below and above the path and changes nothing") {
    for {
      table <- tables :+ log
      at    <- Seq("", "b/", "../") if at.nonEmpty || table != log
    } {
      val place = new TestDirectory
      write(place, "b/part-0.json", line(1))
      write(place, "b/part-1.json", line(2))
      table.foreach(name => write(place, at + name, line(3)))
      if (table.head.startsWith("base_") && at == "../") ()
      else {
        val before = place.everything
        assert(condition(overwrite(place)) === "STOPLOG_FOREIGN_TABLE", s"$at$table")
        assert(
          condition(FileSink.compactDirectory(spark, place.out).run()) === "STOPLOG_FOREIGN_TABLE",
          s"$at$table"
        )
        if (table != log) {
          assert(condition(read(place.out).collect()) === "STOPLOG_FOREIGN_TABLE", s"$at$table")
          assert(condition(stream(place)) === "STOPLOG_FOREIGN_TABLE", s"$at$table")
        }
        assert(place.everything.filterNot(_.startsWith("_stoplog/batch-")) === before, s"$at$table")
      }
    }
  }

  test("an overwrite of single partitions rejects a table or log above the path and changes nothing") {
    for {
      above   <- Seq(Seq("_delta_log/00.json"), log)
      options <- Seq(
        Map("replaceWhere"           -> "b = 7"),
        Map("partitionOverwriteMode" -> "dynamic")
      )
    } {
      val place = new TestDirectory
      write(place, "b=7/part-0.json", line(1))
      above.foreach(name => write(place, s"../$name", line(3)))
      val before = place.everything
      val rows   = spark.range(1).selectExpr("id", "7 AS b").write.format("stoplog").option("format", "json")
      val error  =
        condition(rows.partitionBy("b").options(options).mode("overwrite").save(place.out))
      assert(error === "STOPLOG_FOREIGN_TABLE", s"$options $above")
      assert(place.everything.filterNot(_.startsWith("_stoplog/batch-")) === before, s"$options $above")
    }
  }

  test("an overwrite keeps foreign hidden files and replaces markers and valid-length files") {
    val place  = new TestDirectory
    val hidden =
      Seq("b/_part-0.in-progress.main-00112233445566-0011223344556677", "b/.part-0.json.crc", "_notes/x")
    val own = Seq("_SUCCESS", "b/_SUCCESS", "b/_SUCCESS.2")
    (Seq("b/part-0.json", "part-1.json") ++ own ++ hidden).foreach(write(place, _, line(1)))
    writeBytes(place, "b/_part-0.json.valid-length", ValidLengthNames.encoded(9))
    overwrite(place)
    assert(place.lines === Seq("""{"id":7}"""))
    assert(hidden.toSet.subsetOf(place.everything))
    assert((own :+ "b/_part-0.json.valid-length").forall(!place.everything(_)))
  }

  test("compaction reads a file up to the length in its valid-length file") {
    val place = new TestDirectory
    withJunk(place)
    assert(
      FileSink.compactDirectory(spark, place.out, Map("compactTo" -> "1m")).run().map(_.names.size) === Seq(2)
    )
    assert(read(place.out).collect().map(_.getInt(0)).toSeq.sorted === (0 until 10))
    assert(place.lines.size === 10)
  }

  test("compaction recognizes a valid-length file of any name by its content") {
    val place = new TestDirectory
    withJunk(place, "day=1/.part-5f0c3a9d1e77-1.json.len")
    write(place, "day=1/.part-5f0c3a9d1e77-2.json.note", "12345")
    assert(
      FileSink.compactDirectory(spark, place.out, Map("compactTo" -> "1m")).run().map(_.names.size) === Seq(2)
    )
    assert(place.lines.size === 10)
  }

  test("the source reads files up to their valid length and rejects them with multiLine") {
    val place = new TestDirectory
    withJunk(place)
    assert(read(place.out).collect().map(_.getInt(0)).toSeq.sorted === (0 until 10))
    val one = s"${place.out}/day=1/part-5f0c3a9d1e77-1.json"
    assert(read(one).select("id").collect().map(_.getInt(0)).toSeq.sorted === (0 until 5))
    assert(stream(place) === (0 until 10))
    val error = intercept[Exception] {
      read(place.out, "multiLine" -> "true").collect()
    }
    assert(error.getMessage.contains("valid-length") || error.getCause.getMessage.contains("valid-length"))
  }

  private def line(id: Int): String = s"""{"id":$id}""" + "\n"

  /** The bytes after the first five rows of one part were never committed: they are rows of the next part. */
  private def withJunk(
      place: TestDirectory,
      note: String = "day=1/_part-5f0c3a9d1e77-1.json.valid-length"
  ): Unit = {
    val good = (0 until 5).map(line).mkString
    write(place, "day=1/part-5f0c3a9d1e77-1.json", good + (5 until 8).map(line).mkString)
    writeBytes(place, note, ValidLengthNames.encoded(good.length.toLong))
    write(place, "day=1/part-5f0c3a9d1e77-2.json", (5 until 10).map(line).mkString)
  }

  private def overwrite(place: TestDirectory): Unit =
    spark
      .range(7, 8)
      .selectExpr("cast(id as int) as id")
      .write
      .format("stoplog")
      .option("format", "json")
      .mode("overwrite")
      .save(place.out)

  private def read(path: String, options: (String, String)*) =
    spark.read.format("stoplog").option("format", "json").options(options.toMap).schema("id int").load(path)

  private def stream(place: TestDirectory): Seq[Int] = {
    val name  = s"rows_${System.nanoTime()}"
    val query = spark.readStream
      .format("stoplog")
      .option("format", "json")
      .schema("id int")
      .load(place.out)
      .writeStream
      .format("memory")
      .queryName(name)
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    spark.table(name).select("id").collect().map(_.getInt(0)).toSeq.sorted
  }

  private def condition(action: => Any): String = {
    val error = intercept[Exception](action)
    Iterator
      .iterate[Throwable](error)(_.getCause)
      .takeWhile(_ != null)
      .map(_.getMessage)
      .mkString("\n") match {
      case text if text.contains("STOPLOG_FOREIGN_TABLE") => "STOPLOG_FOREIGN_TABLE"
      case text                                           => text
    }
  }

  private def write(place: TestDirectory, name: String, text: String): Unit =
    writeBytes(place, name, text.getBytes(UTF_8))

  private def writeBytes(place: TestDirectory, name: String, bytes: Array[Byte]): Unit = {
    val file = Path.of(place.out).resolve(name).normalize
    Files.createDirectories(file.getParent)
    Files.write(file, bytes): Unit
  }
}
