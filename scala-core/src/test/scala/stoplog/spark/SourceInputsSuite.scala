// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths, StandardCopyOption}

import com.github.luben.zstd.Zstd
import org.apache.spark.sql.{DataFrame, Encoders, Row}
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** What a source makes of files that are not as one would wish, and of paths that lead elsewhere than before. */
class SourceInputsSuite extends AnyFunSuite with SparkSessionForTests {

  test("rejects a checkpoint for another directory, where its paths would mean other files") {
    val in    = new Input
    val place = new TestDirectory
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

  test("the tasks report the bytes that they read from local files") {
    for ((format, text) <- Seq("text" -> "ant\n", "json" -> "{\"value\":\"ant\"}\n", "csv" -> "ant\n")) {
      val in = new Input
      in.write(s"a.$format", text * 5000)
      val rows = spark.read.format("stoplog").option("format", format).schema("value STRING")
      val read = StageOutput.of(spark)(assert(rows.load(in.root.toString).collect().length === 5000))
      assert(read.inputBytes >= text.length * 5000L, format)
    }
  }

  test("a batch query reads only pieces of listed files and rejects changed files", LongRun.Only) {
    for (format <- Seq("text", "parquet")) {
      val in                      = new Input
      val place                   = new TestDirectory
      val file                    = in.root.resolve("a")
      val random                  = new scala.util.Random(7)
      val rows                    = (1 to 120).map(_ => random.alphanumeric.take(100 * 1000).mkString)
      def write(count: Int): Unit = {
        spark
          .createDataset(rows.take(count))(Encoders.STRING)
          .coalesce(1)
          .write
          .mode("overwrite")
          .option("parquet.block.size", 1 << 20)
          .format(format)
          .save(place.out)
        val written = Paths.get(place.out).toFile.listFiles.filter(_.getName.startsWith("part-"))
        Files.move(written.head.toPath, file, StandardCopyOption.REPLACE_EXISTING)
      }
      def read(options: (String, String)*): DataFrame =
        spark.read.format("stoplog").option("format", format).options(options.toMap).load(in.root.toString)
      for (options <- Seq(Nil, Seq("onChangedFile" -> "reread"))) {
        write(120)
        val listed = read(options: _*).rdd
        assert(listed.getNumPartitions > 1 && listed.count() === 120)
        write(110)
        val error = intercept[Exception](listed.count())
        assert(Thrown.conditions(error).contains("STOPLOG_SOURCE_FILE_CHANGED"))
        assert(read(options: _*).count() === 110)
      }
      write(120)
      val lenient = read("ignoreMissingFiles" -> "true").rdd
      assert(lenient.getNumPartitions > 1)
      write(110)
      assert(lenient.count() === 0)
    }
  }

  test("json values read as strings keep the literal text of the file") {
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

  test("suffixes of compressed files match in any case, and an empty file has no lines") {
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

  test("a path of a single file is decompressed and provides the file name") {
    val in    = new Input
    val lines = "{\"id\":1}\n{\"id\":2}\n"
    in.gzip("a.json.gz", lines)
    Files.write(in.root.resolve("b.json.zst"), Zstd.compress(lines.getBytes(UTF_8)))
    in.gzip("c.gz", "\u0003ant")
    def one(format: String, name: String) = {
      val read = spark.read.format("stoplog").option("format", format)
      (if (format == "json") read.schema("id INT") else read).load(s"${in.root}/$name")
    }
    for (name <- Seq("a.json.gz", "b.json.zst")) {
      val located = Seq("id", "_metadata.file_name", "_metadata.file_path")
      assert(one("json", name).selectExpr(located: _*).collect().toSeq === {
        val path = s"file:${in.root}/$name"
        Seq(Row(1, name, path), Row(2, name, path))
      })
      assert(one("text", name).collect().map(_.getString(0)).toSeq === lines.linesIterator.toSeq)
    }
    val delimited = one("lengthDelimited", "c.gz")
    assert(delimited.collect().map(row => new String(row.getAs[Array[Byte]](0))).toSeq === Seq("ant"))
  }

  test("a stream provides metadata columns like a batch query") {
    val in = new Input
    in.write("json/day=1/a.json", "{\"id\":1}\n{\"id\":2}\n")
    in.write("json/day=2/b.json", "{\"id\":3}\n")
    for (format <- Seq("parquet", "orc"))
      spark
        .range(1, 4)
        .selectExpr("id", "id % 2 AS day")
        .write
        .partitionBy("day")
        .format(format)
        .save(s"${in.root}/$format")
    val fields =
      "_metadata.file_name, _metadata.file_size, _metadata.position, _metadata.row_index, input_file_name()"
    for (format <- Seq("json", "parquet", "orc")) {
      def of(load: String => DataFrame) =
        load(s"${in.root}/$format").selectExpr(s"concat_ws(' ', id, day, $fields) AS value")
      val options = Map("format" -> format)
      val stream  = spark.readStream.format("stoplog").schema("id BIGINT, day INT").options(options)
      val batch   = spark.read.format("stoplog").schema("id BIGINT, day INT").options(options)
      val place   = new TestDirectory
      place.copy(of(stream.load))
      assert(place.lines.toSet === of(batch.load).collect().map(_.getString(0)).toSet)
      assert(place.lines.size === 3)
      val filtered = new TestDirectory
      val all      = stream.load(s"${in.root}/$format")
      filtered.copy(all.where("_metadata.file_name LIKE '%a.json'").selectExpr("string(id) AS value"))
      assert(filtered.lines === (if (format == "json") Seq("1", "2") else Nil), format)
      val whole = new TestDirectory
      whole.copy(
        all.selectExpr("_metadata", "id").selectExpr("concat(_metadata.file_name IS NOT NULL, id) AS value")
      )
      assert(whole.lines === Seq("true1", "true2", "true3"), format)
    }
  }

  test("rejects archive and quarantine directories that the source would read") {
    val in = new Input
    in.write("eu/a.txt", "ant\n")
    in.write("us/a.txt", "bat\n")
    val root     = in.root.toString
    val relative = Paths.get("").toAbsolutePath.relativize(in.root).toString
    val link     = Files.createSymbolicLink(new Input().root.resolve("link"), in.root)
    val targets  = Seq(
      (Seq("eu", "us"), s"$root/eu/done", true),
      (Seq("eu", "us"), s"file:$root/us", true),
      (Seq("eu", "us"), s"$root/done", false),
      (Seq("eu", "us"), s"$root/eu/_done", false),
      (Seq("*"), s"$root/archive", true),
      (Seq("e*", "us"), s"$root/archive", false),
      (Seq("e*", "us"), s"$root/east/archive", true),
      (Seq("eu"), s"$root/eu", true),
      (Seq("eu"), s"$root/eu/a/.done/b", false),
      (Seq("eu"), s"$root/eu/_d=1", true),
      (Seq("eu"), s"$root/eur", false),
      (Seq("eu"), s"$link/eu/done", true),
      (Seq("eu"), s"$link/done", false)
    )
    for {
      (names, target, isRead) <- targets
      base                    <- Seq(root, relative)
      options                 <- Seq(
        Map("cleanSource"    -> "archive", "sourceArchiveDir" -> target),
        Map("quarantinePath" -> target)
      )
    } {
      def load(more: (String, String)*) = spark.read
        .format("stoplog")
        .options(options ++ more + ("format" -> "text"))
        .load(names.map(name => s"$base/$name"): _*)
      if (isRead) assert(intercept[IllegalArgumentException](load()).getMessage.contains("is below path"))
      else load()
      if (target.endsWith("/done")) load("recursiveFileLookup" -> "false")
    }
  }

  test(
    "rejects a stream that would read its own checkpoint, and would remove the checkpoint by cleanSource"
  ) {
    val in   = new Input
    val link = Files.createSymbolicLink(new Input().root.resolve("link"), in.root)
    in.write("eu/a.txt", "ant\n")
    def run(path: String, checkpoint: String, more: (String, String)*): Unit = spark.readStream
      .format("stoplog")
      .options(Map("format" -> "text", "cleanSource" -> "delete") ++ more)
      .load(s"${in.root}$path")
      .writeStream
      .format("noop")
      .option("checkpointLocation", checkpoint)
      .trigger(Trigger.AvailableNow())
      .start()
      .awaitTermination()
    for (checkpoint <- Seq(s"${in.root}/eu/checkpoint", s"$link/eu/checkpoint/", s"file:${in.root}/eu")) {
      val error = intercept[StreamingQueryException](run("/eu", checkpoint))
      assert(error.getMessage.contains("is below path"), checkpoint)
      assert(Files.exists(in.root.resolve("eu/a.txt")))
    }
    run("/eu", s"${in.root}/eu/a", "pathGlobFilter"      -> "*.txt", "cleanSource" -> "off")
    run("/eu", s"${in.root}/eu/b", "recursiveFileLookup" -> "false", "cleanSource" -> "off")
    run("/eu/*.txt", s"${in.root}/c")
    in.write("us/a.txt", "ant\n")
    run("/us", s"${in.root}/us/_checkpoint")
    assert(!Files.exists(in.root.resolve("us/a.txt")))
  }

  test("each of several paths must exist and may omit its file system") {
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

  test("rejects a path on a store without a Hadoop class or without a server") {
    def refused(path: String) = intercept[IllegalArgumentException] {
      spark.read.format("stoplog").option("format", "text").load(path)
    }.getMessage
    for (path <- Seq("nosuch://host", "nosuch://host/a"))
      assert(refused(path).contains("STOPLOG_JAR_MISSING"))
    assert(refused("hdfs:///a").contains("STOPLOG_SOURCE_PATH"))
  }
}
