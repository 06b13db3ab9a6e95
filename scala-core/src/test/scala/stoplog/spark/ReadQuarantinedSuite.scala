// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, StandardOpenOption}

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** The rows of a query with a quarantine, and of the later query of the omitted data: each row once. */
class ReadQuarantinedSuite extends AnyFunSuite with SparkSessionForTests {

  test("reads the omitted records and the rest of one compressed file, each once") {
    val lines = (0 until 20000).map(id => line(id, isBad = id % 1000 == 3))
    val in    = new Input
    in.gzip("a.json.gz", lines.mkString("", "\n", "\n"))
    val file  = in.root.resolve("a.json.gz")
    val whole = Files.readAllBytes(file)
    Files.write(file, whole.take(whole.length / 2))
    val notes = newNotes()
    val first = ids(reader("quarantinePath" -> notes).load(in.root.toString))
    assert(first.size > 1000 && first.size < 19000)
    Files.write(file, whole)
    assert((first ++ ids(again(in, notes))).sorted === (0 until 20000))
  }

  test("reads the omitted records and the rest of one small file, each once") {
    val lines = (0 until 100).map { id =>
      if (id == 50) s"""{"id":$id,"word":"${"x" * 500000}"}""" else line(id, isBad = id % 10 == 3)
    }
    val in = new Input
    in.write("a.json", lines.mkString("", "\n", "\n"))
    val notes = newNotes()
    val first = ids(reader("quarantinePath" -> notes, "maxRecordSize" -> "1k").load(in.root.toString))
    assert(first === (0 until 50).filterNot(_ % 10 == 3))
    assert((first ++ ids(again(in, notes))).sorted === (0 until 100))
  }

  test("reads the records omitted at any length of a file that grew") {
    val in           = new Input
    val place        = new TestDirectory
    val notes        = newNotes()
    val file         = in.root.resolve("app.json")
    def grow(n: Int) = {
      val more = (n * 10 until n * 10 + 10).map(id => line(id, isBad = id % 5 == 3) + "\n").mkString
      Files.writeString(file, more, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
      place.copy(
        spark.readStream
          .format("stoplog")
          .schema("id INT")
          .options(Map("format" -> "json", "onChangedFile" -> "tail", "quarantinePath" -> notes))
          .load(in.root.toString)
          .selectExpr("cast(id as string)")
      )
    }
    for (n <- 0 until 3) grow(n)
    def all = (place.lines.map(_.toInt) ++ ids(again(in, notes))).sorted
    assert(all === (0 until 30))
    Files.writeString(file, line(30, isBad = false) + "\n", StandardOpenOption.APPEND)
    assert(all === (0 until 30), "a row that no query has read yet")
    Files.write(file, Files.readAllBytes(file).dropRight(400))
    val shorter = intercept[Exception](all)
    assert(Thrown.conditions(shorter).contains("STOPLOG_SOURCE_FILE_CHANGED"))
  }

  test("reads the omitted records of a CSV file with a header, each once") {
    val in    = new Input
    val notes = newNotes()
    in.write("a.csv", "# made by hand\nid,word\n1,a\ntwo,b\n3,c\nfour,d\n")
    def words(columns: String, place: (String, String)): Seq[String] =
      csv(columns, "comment" -> "#", place).load(in.root.toString).collect().map(_.getString(1)).toSeq
    assert(words("id INT, word STRING", "quarantinePath" -> notes) === Seq("a", "c"))
    assert(words("id STRING, word STRING", "readQuarantined" -> notes) === Seq("b", "d"))
    val other = intercept[Exception](words("id STRING, other STRING", "readQuarantined" -> notes))
    assert(Thrown.conditions(other).contains("STOPLOG_SOURCE_FILE_SETTINGS"))
  }

  test("reads the rest of a torn CSV file with a header, each row once") {
    val in    = new Input
    val notes = newNotes()
    val lines = (0 until 20000).map(id => s"$id,${java.util.UUID.randomUUID()}")
    in.gzip("a.csv.gz", lines.mkString("id,word\n", "\n", "\n"))
    val file  = in.root.resolve("a.csv.gz")
    val whole = Files.readAllBytes(file)
    Files.write(file, whole.take(whole.length / 2))
    def found(place: (String, String)): Seq[Int] =
      ids(csv("id INT, word STRING", place).load(in.root.toString))
    val first = found("quarantinePath" -> notes)
    assert(first.size > 1000 && first.size < 19000)
    Files.write(file, whole)
    assert((first ++ found("readQuarantined" -> notes)).sorted === (0 until 20000))
  }

  test("reads the omitted records with the charset of the first query, and refuses another charset") {
    val in    = new Input
    val latin = "charset" -> "ISO-8859-1"
    val lines = (0 until 4).map { id =>
      if (id % 2 == 0) s"""{id:$id,"größe":1}""" else s"""{"id":$id,"größe":1}"""
    }
    Files.write(in.root.resolve("a.json"), lines.mkString("\n").getBytes(ISO_8859_1))
    val same = newNotes()
    assert(ids(reader(latin, "quarantinePath" -> same).load(in.root.toString)) === Seq(1, 3))
    assert(ids(again(in, same, latin)) === Seq(0, 2))
    val other = newNotes()
    assert(ids(reader("quarantinePath" -> other).load(in.root.toString)) === Nil)
    val error = intercept[Exception](ids(again(in, other, latin)))
    assert(Thrown.conditions(error).contains("STOPLOG_SOURCE_FILE_SETTINGS"))
  }

  /** A bad line is a record for a reader with `allowUnquotedFieldNames`. */
  private def line(id: Int, isBad: Boolean): String =
    if (isBad) s"{id:$id}" else s"""{"id":$id,"word":"${java.util.UUID.randomUUID()}"}"""

  private def newNotes(): String = Files.createTempDirectory("stoplog-quarantine").toString

  private def again(in: Input, notes: String, more: (String, String)*): DataFrame =
    reader(Seq("readQuarantined" -> notes, "allowUnquotedFieldNames" -> "true") ++ more: _*)
      .load(in.root.toString)

  private def csv(columns: String, options: (String, String)*) = spark.read
    .format("stoplog")
    .schema(columns)
    .options(Map("format" -> "csv", "header" -> "true", "enforceSchema" -> "false") ++ options)

  private def reader(options: (String, String)*) =
    spark.read.format("stoplog").schema("id INT").options(options.toMap + ("format" -> "json"))

  private def ids(rows: DataFrame): Seq[Int] = rows.collect().map(_.getInt(0)).toSeq
}
