// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** What a source makes of files that are not as one would wish, and of paths that lead elsewhere than before. */
class SourceInputsSuite extends AnyFunSuite with SparkSessionForTests {

  test("a checkpoint is not gone on with below another directory, where its paths would mean other files") {
    val in    = new Input
    val place = new Place
    in.write("2025/a.txt", "ant\n")
    in.write("2026/a.txt", "bat\n")
    def run(path: String) =
      place.copy(spark.readStream.format("stoplog").option("format", "text").load(s"${in.root}$path"))
    run("/2025")
    for (path <- Seq("/2026", "/*")) {
      val error = intercept[StreamingQueryException](run(path))
      assert(Thrown.conditions(error).contains("STOPLOG_SOURCE_PATH_CHANGED"))
      assert(error.getMessage.contains("/2025") && error.getMessage.contains("sources/0/identity"))
    }
    in.write("2025/b.txt", "ape\n")
    run("/2025/") // the same, and so is a pattern below it
    run("/2025/*.txt")
    assert(place.lines === Seq("ant", "ape"))
    Files.move(in.root.resolve("2025"), in.root.resolve("moved"))
    in.write("moved/c.txt", "asp\n")
    Files.delete(Paths.get(place.checkpoint, "sources", "0", "identity"))
    run("/moved")
    assert(place.lines === Seq("ant", "ape", "asp"))
  }

  test("what is no string in json, and is read as one, is the text that stands there") {
    val in    = new Input
    val lines = Seq(
      """{"a":1,"b":"x"}""",
      """{"a":22222,"b":{"k":[1, 2,{"z":null}]}}""",
      """{"a":{"q":3.50},"b":true}"""
    )
    in.write("a.json", lines.mkString("\uFEFF", "\n", "\n"))
    def read() = spark.read
      .format("stoplog")
      .schema("a STRING, b STRING")
      .option("format", "json")
      .load(in.root.toString)
      .selectExpr("a || ' ' || b AS value")
    val expected = Seq("1 x", """22222 {"k":[1, 2,{"z":null}]}""", """{"q":3.50} true""")
    assert(read().collect().map(_.getString(0)).toSeq === expected)
    assert(read().sort("value").collect().map(_.getString(0)).toSeq === expected.sorted) // kept for a while
  }

  test("suffixes of compressed files are known in any case, and an empty file has no lines") {
    val in = new Input
    in.gzip("a.TXT.GZ", "ant\n")
    for (suffix <- Seq("gz", "zst", "bz2", "deflate", "lz4", "snappy")) in.write(s"empty.$suffix", "")
    assert(
      spark.read
        .format("stoplog")
        .option("format", "text")
        .load(in.root.toString)
        .collect()
        .map(_.getString(0))
        .toSeq === Seq("ant")
    )
  }

  test("each of several paths must be there, and may name its file system or not") {
    val in = new Input
    in.write("a/x.txt", "ant\n")
    in.write("b c/x.txt", "bat\n")
    def read(paths: String*)  = spark.read.format("stoplog").option("format", "text").load(paths: _*)
    def found(paths: String*) = read(paths: _*).collect().map(_.getString(0)).toSet
    val error = intercept[IllegalArgumentException](read(s"${in.root}/a", s"${in.root}/no")).getMessage
    assert(
      error.contains("STOPLOG_SOURCE_PATH") && error.contains(
        s"nothing to read from at ${in.root}/no: no such"
      )
    )
    assert(found(s"${in.root}/a", s"${in.root}/n*") === Set("ant"), "what a pattern names may come later")
    assert(found(s"${in.root}/a", s"file:${in.root}/b c") === Set("ant", "bat"))
    assert(found(s"${in.root}/a/x.txt", s"${in.root}/a") === Set("ant"))
  }

  test("a path on a store that Hadoop has no class for, or no server") {
    def refused(path: String) = intercept[IllegalArgumentException] {
      spark.read.format("stoplog").option("format", "text").load(path)
    }.getMessage
    for (path <- Seq("nosuch://host", "nosuch://host/a"))
      assert(refused(path).contains("STOPLOG_STORE_UNSUPPORTED"))
    assert(refused("hdfs:///a").contains("STOPLOG_SOURCE_PATH"))
  }
}
