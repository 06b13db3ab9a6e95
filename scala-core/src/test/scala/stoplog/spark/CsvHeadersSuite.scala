// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, StandardOpenOption}

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.{Causes, Thrown}
import stoplog.format.SparkSessionForTests

/** Headers of CSV files after comments and blank lines, if the files are read in pieces. */
class CsvHeadersSuite extends AnyFunSuite with SparkSessionForTests {
  private val text = "# made by hand\n \n# two columns\nid,word\n1,a\n# more\n2,b\n"

  for {
    limit <- Seq("maxRowsPerTrigger", "maxBytesPerTrigger")
    name  <- Seq("a.csv", "a.csv.gz")
  }
    test(s"the header of $name is no row if $limit cuts the file before the header") {
      val in = new Input
      if (name.endsWith(".gz")) in.gzip(name, text) else in.write(name, text)
      val place = new TestDirectory
      place.copy(rows(in, limit -> "1"))
      assert(place.lines === Seq("1,a", "2,b"))
    }

  test("the header of a file that grows by single lines is no row") {
    val in    = new Input
    val place = new TestDirectory
    in.write("a.csv", "")
    for (added <- Seq("# made by hand\n", " \n# two colu", "mns\nid,", "word\n", "1,a\n# more\n2", ",b\n")) {
      Files.writeString(in.root.resolve("a.csv"), added, StandardOpenOption.APPEND)
      place.copy(rows(in, "onChangedFile" -> "tail"))
    }
    assert(place.lines === Seq("1,a", "2,b"))
  }

  test("a wrong header is an error if a limit cuts the file before the header") {
    val in = new Input
    in.write("a.csv", text.replace("word", "other"))
    val error = intercept[Exception](
      new TestDirectory().copy(rows(in, "maxRowsPerTrigger" -> "1", "enforceSchema" -> "false"))
    )
    assert(Causes.of(error).exists(_.toString.contains("its header names the columns id, other")))
  }

  test("names in a header are compared by the session's rule for upper and lower case") {
    val in = new Input
    in.write("a.csv", "ID,word\n1,a\n")
    val place = new TestDirectory
    place.copy(rows(in, "enforceSchema" -> "false"))
    assert(place.lines === Seq("1,a"))
    spark.conf.set("spark.sql.caseSensitive", "true")
    try {
      val error = intercept[Exception](new TestDirectory().copy(rows(in, "enforceSchema" -> "false")))
      assert(Thrown.text(error).contains("its header names the columns ID, word"))
    } finally spark.conf.unset("spark.sql.caseSensitive")
  }

  test("an unread piece of a file without bytes or lines needs no header") {
    val in    = new Input
    val place = new TestDirectory
    in.gzip("a.csv.gz", "id,word\n1,a\n")
    in.write("b.csv", "")
    place.copy(rows(in, "onChangedFile" -> "tail"))
    Files.move(in.root.resolve("a.csv.gz"), in.root.resolve("c.csv.gz"))
    Files.writeString(in.root.resolve("b.csv"), "id,", StandardOpenOption.APPEND)
    Files.move(in.root.resolve("b.csv"), in.root.resolve("d.csv"))
    place.copy(rows(in, "onChangedFile" -> "tail"))
    assert(place.lines === Seq("1,a"))
  }

  test("a wrong header ends a query with a quarantine, and is not quarantined") {
    val in = new Input
    in.write("a.csv", "word,id\n1,2\n")
    val notes = Files.createTempDirectory("stoplog-quarantine")
    val query = rows(in, "enforceSchema" -> "false", "quarantinePath" -> notes.toString)
    val error = intercept[Exception](new TestDirectory().copy(query))
    assert(Thrown.conditions(error).contains("STOPLOG_SOURCE_FILE_SETTINGS"))
    assert(Thrown.text(error).contains("its header names the columns word, id"))
    assert(notes.toFile.list().toSeq === Nil)
  }

  private def rows(in: Input, options: (String, String)*): DataFrame = spark.readStream
    .format("stoplog")
    .schema("id STRING, word STRING")
    .options(Map("format" -> "csv", "header" -> "true", "comment" -> "#") ++ options)
    .load(in.root.toString)
    .selectExpr("concat_ws(',', id, word)")
}
