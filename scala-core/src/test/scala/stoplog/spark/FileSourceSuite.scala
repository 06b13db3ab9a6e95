// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.nio.file.{Files, Path, StandardOpenOption}
import java.nio.file.attribute.FileTime
import java.util.zip.GZIPOutputStream

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.bucket.BasePathBucketAssigner
import stoplog.error.Causes
import stoplog.format.SparkSessionForTests

/** Text files as a stream and as a batch, through Spark. */
class FileSourceSuite extends AnyFunSuite with SparkSessionForTests {

  test("a batch query reads lines of plain and compressed files and skips hidden files") {
    val in = new Input
    in.write("a.txt", "ant\nape\n")
    in.write("deep/er/b.txt", "bat\r\nbee")
    in.gzip("c.txt.gz", "cat\n")
    in.write("_hidden/d.txt", "dog\n")
    in.write(".e.txt", "eel\n")
    in.write("empty.txt", "")
    assert(lines(read(in)) === Seq("ant", "ape", "bat", "bee", "cat"))
    assert(read(in).count() === 5)
    assert(read(in).filter("value > 'b'").count() === 3)
  }

  test("the source applies path patterns, name filters, charsets and line separators") {
    val in = new Input
    in.write("2026-01/a.txt", "ant\n")
    in.write("2026-02/b.txt", "bat\n")
    in.write("2026-02/b.log", "bee\n")
    in.write("2027-01/c.txt", "cat\n")
    assert(lines(read(in, "path" -> s"${in.root}/2026-*")) === Seq("ant", "bat", "bee"))
    assert(lines(read(in, "path" -> s"${in.root}/{2026-02,2027-01}/*.txt")) === Seq("bat", "cat"))
    assert(lines(read(in, "pathGlobFilter" -> "*.log")) === Seq("bee"))
    assert(lines(read(in, "recursiveFileLookup" -> "false")) === Seq.empty)
    val latin = new Input
    Files.write(latin.root.resolve("a.txt"), "\u00e4\n\u00f6\n".getBytes(ISO_8859_1))
    assert(lines(read(latin, "charset" -> "ISO-8859-1")) === Seq("\u00e4", "\u00f6"))
    val other = new Input
    other.write("a.txt", "ant||ape||")
    assert(lines(read(other, "lineSep" -> "||")) === Seq("ant", "ape"))
  }

  test("tasks share a large file, and each line is read once") {
    val in      = new Input
    val numbers = (1 to 100000).map(n => f"$n%064d") // files below 4 MiB are not cut
    in.write("a.txt", numbers.mkString("", "\n", "\n"))
    in.write("b.txt", numbers.mkString("\r\n"))
    val all = spark.read.format("stoplog").option("format", "text").load(in.root.toString)
    assert(read(in, "path" -> in.root.resolve("a.txt").toString).rdd.getNumPartitions > 1)
    assert(all.groupBy("value").count().filter("count <> 2").count() === 0)
    assert(all.count() === 200000)
  }

  test("a stream reads each file once over restarts, regardless of modification times") {
    val in = new Input
    in.write("a.txt", "ant\n")
    in.write("b.txt", "bat\n")
    val place = new TestDirectory
    runOnce(in, place)
    assert(place.lines === Seq("ant", "bat"))
    runOnce(in, place)
    assert(place.lines === Seq("ant", "bat"))
    in.write("c.txt", "cat\n")
    Files.setLastModifiedTime(in.root.resolve("c.txt"), FileTime.fromMillis(0))
    runOnce(in, place)
    assert(place.lines === Seq("ant", "bat", "cat"))
    assert(offsets(place).forall(_.length < 60), "an offset is a pointer")
  }

  test("limits of files, bytes and rows apply together, also with the trigger availableNow") {
    val in = new Input
    for (n <- 1 to 7) in.write(s"$n.txt", s"$n-1\n$n-2\n$n-3\n")
    val place = new TestDirectory
    val query = runOnce(in, place, "maxFilesPerTrigger" -> "3")
    assert(rowsOf(query) === Seq(9, 9, 3))
    val rows = new TestDirectory
    assert(
      rowsOf(runOnce(in, rows, "maxRowsPerTrigger" -> "5", "maxFilesPerTrigger" -> "3")) === Seq(5, 5, 5, 5,
        1)
    )
    val bytes = new TestDirectory
    assert(rowsOf(runOnce(in, bytes, "maxBytesPerTrigger" -> "30b")) === Seq(6, 6, 6, 3))
    for (each <- Seq(place, rows, bytes)) assert(each.lines.size === 21 && each.lines.distinct.size === 21)
  }

  test("a large file spans many micro-batches, and a restart resumes in the middle") {
    val in      = new Input
    val numbers = (1 to 20000).map(n => f"$n%09d")
    in.write("a.txt", numbers.mkString("", "\n", "\n"))
    in.gzip("b.txt.gz", numbers.map("z" + _).mkString("", "\n", "\n"))
    val place  = new TestDirectory
    val limits = Seq("maxRowsPerTrigger" -> "6000")
    Using.resource(new Progresses(spark)) { progresses =>
      val query = start(in, place, Trigger.ProcessingTime(0), limits: _*)
      for (_ <- 1 to 2) progresses.next(_.numInputRows > 0)
      query.stop()
    }
    runOnce(in, place, limits: _*)
    // As Spark's own sink says it: a micro-batch that was stopped may have left files that do not count.
    assert(lines(spark.read.text(place.out)) === (numbers ++ numbers.map("z" + _)))
  }

  test("onChangedFile ignores, rereads or tails files that have grown") {
    def grown(policy: String): Seq[String] = {
      val in    = new Input
      val place = new TestDirectory
      in.write("a.txt", "ant\nape\nhalf")
      runOnce(in, place, "onChangedFile" -> policy)
      Files.writeString(in.root.resolve("a.txt"), " done\nasp\n", StandardOpenOption.APPEND)
      runOnce(in, place, "onChangedFile" -> policy)
      place.lines
    }
    val once = new Input
    once.write("a.txt", "ant\nhalf")
    assert(
      lines(read(once, "onChangedFile" -> "tail")) === Seq("ant", "half"),
      "no more comes for a batch query"
    )
    assert(grown("ignore") === Seq("ant", "ape", "half"))
    assert(grown("tail") === Seq("ant", "ape", "asp", "half done"))
    assert(grown("reread") === Seq("ant", "ant", "ape", "ape", "asp", "half", "half done"))
  }

  test("reads json and csv with the options of Spark's parsers") {
    val in = new Input
    in.write(
      "a.json",
      """{"id":1,"word":"ant"}|{"id":2,"tags":["x"]}|broken|[{"id":3},{"id":4}]|""".replace("|", "\n")
    )
    in.gzip("b.json.gz", """{"id":5,"word":"bear"}""")
    def json(columns: String, options: (String, String)*) = spark.read
      .format("stoplog")
      .schema(columns)
      .options(Map("format" -> "json") ++ options)
      .load(in.root.toString)
    val all = json("id INT, word STRING, tags ARRAY<STRING>, _corrupt_record STRING")
    assert(
      all.select("id").collect().map(row => Option(row.get(0))).toSet === (1 to 5).map(Some(_)).toSet + None
    )
    assert(
      all
        .filter("_corrupt_record is not null")
        .select("_corrupt_record")
        .collect()
        .map(_.getString(0))
        .toSeq ===
        Seq("broken")
    )
    assert(all.filter("word = 'bear'").count() === 1)
    assert(json("id INT", "mode" -> "DROPMALFORMED").count() === 5)
    val failed = intercept[Exception](json("id INT", "mode" -> "FAILFAST").collect())
    assert(
      causesOf(failed).exists(e =>
        e.contains("STOPLOG_SOURCE_FILE_UNREADABLE") && e.contains("a.json") && e.contains("byte 44")
      )
    )
    val table = new Input
    table.write("a.csv", "id;word\n1;ant\n\n2;\"a;b\"\n")
    table.write("b.csv", "id;word\n3;cat\n")
    val csv = spark.read
      .format("stoplog")
      .schema("id INT, word STRING")
      .options(Map("format" -> "csv", "header" -> "true", "sep" -> ";"))
      .load(table.root.toString)
    assert(csv.orderBy("id").collect().map(_.toString).toSeq === Seq("[1,ant]", "[2,a;b]", "[3,cat]"))
    assert(csv.select("word").collect().map(_.getString(0)).toSet === Set("ant", "a;b", "cat"))
    assert(csv.count() === 3)
    val error = intercept[IllegalArgumentException](json("id INT", "sep" -> ";", "encoding" -> "UTF-8"))
    assert(
      error.getMessage.contains("sep is an option of csv") && error.getMessage.contains(
        "cannot be set: use charset"
      )
    )
    val noSchema = intercept[IllegalArgumentException](
      spark.read.format("stoplog").option("format", "json").load(in.root.toString)
    )
    assert(noSchema.getMessage.contains("STOPLOG_SOURCE_SCHEMA"))
  }

  for (format <- Seq("parquet", "orc", "avro"))
    test(s"$format: batches read columns with filters, and streams read pieces") {
      val in  = new Input
      val all =
        spark.range(0, 40000, 1, 4).selectExpr("id", "cast(id % 100 as string) as word", "id * 2 as twice")
      // By the sink: Spark's own source of Avro has a name only with the module spark-avro.
      FileSink
        .forBulkFormat(in.root.toString, format)
        .withBucketAssigner(new BasePathBucketAssigner)
        .build()
        .write(all)
        .save()
      def read = spark.read.format("stoplog").option("format", format).load(in.root.toString)
      assert(read.exceptAll(all).isEmpty && all.exceptAll(read).isEmpty)
      assert(read.count() === 40000)
      assert(read.filter("id = 7777").select("word").collect().map(_.getString(0)).toSeq === Seq("77"))
      val place = new TestDirectory
      val rows  = spark.readStream
        .format("stoplog")
        .schema("id BIGINT, word STRING")
        .option("format", format)
        .option("maxBytesPerTrigger", if (format == "orc") "2k" else "60k")
        .load(in.root.toString)
      val query = place.copy(rows, "parquet")
      assert(query.recentProgress.length > 1)
      assert(spark.read.parquet(place.out).exceptAll(all.select("id", "word")).isEmpty)
      assert(spark.read.parquet(place.out).count() === 40000)
    }

  test("reads selected columns, and metadata columns locate rows") {
    val in = new Input
    in.write(
      "a.json",
      """{"id":1,"word":"ant","more":"x"}|{"id":2,"word":"bat","more":"y"}""".replace("|", "\n")
    )
    val json = spark.read
      .format("stoplog")
      .schema("id INT, word STRING, more STRING")
      .options(Map("format" -> "json", "columns" -> "word, id"))
      .load(in.root.toString)
    assert(json.schema.fieldNames.toSeq === Seq("word", "id"))
    assert(json.orderBy("id").collect().map(_.toString).toSeq === Seq("[ant,1]", "[bat,2]"))
    val where =
      json.selectExpr("_metadata.file_name", "id", "_metadata.position", "_metadata.file_size").orderBy("id")
    assert(where.collect().map(_.toString).toSeq === Seq("[a.json,1,0,65]", "[a.json,2,33,65]"))
    assert(
      json.select("_metadata.file_path").distinct().collect().map(_.getString(0)).toSeq ===
        Seq(s"file:${in.root.resolve("a.json")}")
    )
    val wrong = intercept[IllegalArgumentException](read(in, "columns" -> "none"))
    assert(wrong.getMessage.contains("'none', which is not one of value"))
    val blocks = new Input
    spark.range(10).write.mode("overwrite").parquet(blocks.root.toString)
    val parquet = spark.read.format("stoplog").option("format", "parquet").load(blocks.root.toString)
    assert(parquet.filter("_metadata.file_name like 'part-%'").selectExpr("sum(id)").head().getLong(0) === 45)
  }

  test("selects one of two columns whose names differ in case") {
    val in = new Input
    in.write("a.json", """{"id":1,"ID":2}""")
    val reader = spark.read.format("stoplog").schema("id INT, ID INT").option("format", "json")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try assert(reader.option("columns", "ID").load(in.root.toString).head().getInt(0) === 2)
    finally spark.conf.unset("spark.sql.caseSensitive")
  }

  test("reads binary files, and names files that cannot be read") {
    val in = new Input
    in.write("a.bin", "one")
    in.write("b.bin", "two")
    val all = spark.read.format("stoplog").option("format", "binaryFile").load(in.root.toString)
    assert(
      all.select("content").collect().map(row => new String(row.getAs[Array[Byte]](0))).toSet === Set(
        "one",
        "two"
      )
    )
    val bad = spark.read.format("stoplog").schema("id INT").option("format", "parquet").load(in.root.toString)
    val error = intercept[Exception](bad.collect())
    assert(causesOf(error).exists(e => e.contains("STOPLOG_SOURCE_FILE_UNREADABLE") && e.contains(".bin")))
    val cut = new Input
    in.gzip("c.txt.gz", "cat\n" * 1000)
    val bytes = Files.readAllBytes(in.root.resolve("c.txt.gz"))
    Files.write(cut.root.resolve("c.txt.gz"), bytes.take(bytes.length - 4))
    val torn = intercept[Exception](read(cut).collect())
    assert(causesOf(torn).exists(e => e.contains("STOPLOG_SOURCE_FILE_UNREADABLE") && e.contains("c.txt.gz")))
  }

  test("rejects unknown options, invalid values and a missing path at the start") {
    val in    = new Input
    val error = intercept[IllegalArgumentException](
      read(in, "maxFilesPerTriger" -> "1", "onChangedFile" -> "tial", "maxBytesPerTrigger" -> "x")
    )
    assert(error.getMessage.contains("did you mean maxFilesPerTrigger?"))
    assert(error.getMessage.contains("perhaps tail"))
    assert(error.getMessage.contains("maxBytesPerTrigger = 'x'"))
    val nothing = intercept[IllegalArgumentException](read(in, "path" -> in.root.resolve("no").toString))
    assert(nothing.getMessage.contains("STOPLOG_SOURCE_PATH"))
  }

  private def read(in: Input, options: (String, String)*): DataFrame =
    spark.read
      .format("stoplog")
      .options(Map("format" -> "text", "path" -> in.root.toString) ++ options)
      .load()

  private def lines(rows: DataFrame): Seq[String] = rows.collect().map(_.getString(0)).toSeq.sorted

  private def start(
      in: Input,
      place: TestDirectory,
      trigger: Trigger,
      options: (String, String)*
  ): StreamingQuery =
    spark.readStream
      .format("stoplog")
      .options(Map("format" -> "text") ++ options)
      .load(in.root.toString)
      .writeStream
      .format("text")
      .option("checkpointLocation", place.checkpoint)
      .trigger(trigger)
      .start(place.out)

  private def runOnce(in: Input, place: TestDirectory, options: (String, String)*): StreamingQuery = {
    val query = start(in, place, Trigger.AvailableNow(), options: _*)
    query.awaitTermination()
    query
  }

  private def causesOf(e: Throwable): Seq[String] =
    Causes.of(e).map(_.toString)

  private def rowsOf(query: StreamingQuery): Seq[Long] =
    query.recentProgress.map(_.numInputRows).filter(_ > 0).toSeq

  private def offsets(place: TestDirectory): Seq[String] = {
    val files = Option(Path.of(place.checkpoint, "offsets").toFile.listFiles()).toSeq.flatten
    files.filterNot(_.getName.startsWith(".")).map(file => Files.readAllLines(file.toPath).asScala.last)
  }
}

/** A directory that a source reads. */
final class Input {
  val root: Path = Files.createTempDirectory("stoplog-source")

  def write(name: String, text: String): Unit = {
    val file = root.resolve(name)
    Files.createDirectories(file.getParent)
    Files.write(file, text.getBytes(UTF_8))
    ()
  }

  def gzip(name: String, text: String): Unit = {
    val out = new GZIPOutputStream(Files.newOutputStream(root.resolve(name)))
    try out.write(text.getBytes(UTF_8))
    finally out.close()
  }
}
