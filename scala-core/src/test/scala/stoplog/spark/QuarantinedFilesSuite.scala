// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.error.{Causes, Thrown}
import stoplog.format.SparkSessionForTests

/** Files that cannot be decoded, in every format, through Spark. */
class QuarantinedFilesSuite extends AnyFunSuite with SparkSessionForTests {

  test("a stream quarantines malformed lines of JSON and CSV and counts them in its progress") {
    val in = new Input
    in.write("a.json", "{\"id\":1}\n{\"id\":tw\n{\"id\":3}\n")
    val place = new TestDirectory
    val notes = new Notes
    val rows  = spark.readStream
      .format("stoplog")
      .schema("id INT")
      .options(notes.options + ("format" -> "json"))
      .load(in.root.toString)
    val query = place.copy(rows.selectExpr("cast(id as string)"))
    assert(place.lines === Seq("1", "3"))
    val metrics = query.lastProgress.sources.head.metrics
    assert((metrics.get("quarantinedRecords"), metrics.get("quarantinedFiles")) === ("1", "0"))
    val note = notes.all.head()
    assert(note.getAs[String]("file") === in.root.resolve("a.json").toString)
    assert(note.getAs[String]("position") === "byte 9")
    assert(note.getAs[String]("text") === "{\"id\":tw")
    assert(note.getAs[String]("cause").contains("tw"))
    val csv = new Input
    csv.write("a.csv", "1,ant\ntwo,bat\n3,cat\n")
    val others = new Notes
    assert(read(csv, "csv", "id INT, word STRING", others).collect().length === 2)
    assert(others.all.select("text").head().getString(0) === "two,bat")
  }

  test("a stream with cleanSource=delete keeps a file whose quarantined text is incomplete") {
    val in = new Input
    in.write("a.json", "{\"id\":1}\n{\"id\":tw\n")
    in.write("b.json", "{\"id\":\"" + "x" * 100000 + "\n{\"id\":3}\n")
    val place = new TestDirectory
    val notes = new Notes
    for (_ <- 1 to 2) {
      val rows = spark.readStream
        .format("stoplog")
        .schema("id INT")
        .options(notes.options ++ Map("format" -> "json", "cleanSource" -> "delete"))
        .load(in.root.toString)
      place.copy(rows.selectExpr("cast(id as string)"))
      in.write("c.json", "{\"id\":4}\n") // the next micro-batch cleans up
    }
    assert(place.lines === Seq("1", "3", "4"))
    assert(!Files.exists(in.root.resolve("a.json")) && Files.exists(in.root.resolve("b.json")))
  }

  test("parse modes of the user keep their meaning") {
    val in = new Input
    in.write("a.json", "{\"id\":1}\nbad\n")
    val notes              = new Notes
    def rows(mode: String) = read(in, "json", "id INT, _corrupt_record STRING", notes, "mode" -> mode).count()
    assert(rows("PERMISSIVE") === 2)
    assert(rows("DROPMALFORMED") === 1)
    assert(notes.files.isEmpty)
    assert(rows("FAILFAST") === 1)
    assert(notes.files.size === 1)
  }

  // Percent of the rows that are there at least, with a broken head, middle and foot.
  private val readable = Map("parquet" -> Seq(0, 50, 0), "orc" -> Seq(0, 10, 0), "avro" -> Seq(0, 60, 90))

  for (format <- Seq("parquet", "orc", "avro"))
    test(s"reads the intact rows of a $format file with a broken head, middle or foot") {
      val good = new Input
      val rows = spark.range(0, 20000, 1, 1).selectExpr("id", "sha2(cast(id as string), 256) as word")
      rows.write
        .format("stoplog")
        .options(Map("format" -> format, "maxPartSize" -> "1g", "bucketAssigner" -> "basePath"))
        .options(
          if (format == "parquet") Map("parquet.block.size" -> "200000")
          else Map.empty[String, String]
        )
        .mode("append")
        .save(good.root.toString)
      val file  = Files.list(good.root).iterator().asScala.find(_.toString.endsWith(s".$format")).get
      val bytes = Files.readAllBytes(file)
      val size  = bytes.length
      for ((from, until) <- Seq((0, size / 3), (size / 3, size * 2 / 3), (size - 1000, size))) {
        val in = new Input
        Files.write(in.root.resolve(s"good.$format"), bytes)
        val broken = bytes.clone()
        java.util.Arrays.fill(broken, from, until, 7.toByte)
        Files.write(in.root.resolve(s"broken.$format"), broken)
        val notes = new Notes
        def ids   = read(in, format, "id BIGINT, word STRING", notes).collect().map(_.getLong(0)).toSeq
        val found = ids
        assert(found.toSet === (0L until 20000L).toSet && found.size < 40000, s"$from to $until")
        assert(
          notes.all.select("file").distinct().collect().map(_.getString(0)).toSeq ===
            Seq(in.root.resolve(s"broken.$format").toString)
        )
        // The good file has each row once; all else is of the broken one.
        val ofBroken = found.diff(found.distinct).sorted
        assert(ofBroken === ofBroken.distinct, s"$from to $until")
        val least = readable(format)(if (from == 0) 0 else if (until < size) 1 else 2)
        assert(ofBroken.size >= found.distinct.size * least / 100, s"$from to $until")
        assert(notes.all.selectExpr("sum(recordsRead)").head().getLong(0) <= ofBroken.size)
        val before = notes.files
        assert(ids.size === found.size)
        assert(notes.files === before)
        val strict = spark.read.format("stoplog").option("format", format).schema("id BIGINT, word STRING")
        val error  = intercept[Exception](strict.load(in.root.toString).collect())
        val said   = Causes.of(error).map(_.toString)
        assert(
          said.exists(e => e.contains("STOPLOG_SOURCE_FILE_UNREADABLE") && e.contains(s"broken.$format"))
        )
      }
    }

  // Each file has several blocks, one of which has foreign bytes.
  for (format <- Seq("parquet", "orc", "avro"))
    test(
      s"leaves out only the damaged block of a $format file, with and without limits",
      LongRun.unless(format == "parquet"): _*
    ) {
      val whole = new Input
      val rows  = spark.range(0, 40000, 1, 1).selectExpr("id", "sha2(cast(id as string), 256) as word")
      rows.write
        .format("stoplog")
        .options(Map("format" -> format, "maxPartSize" -> "1g", "bucketAssigner" -> "basePath"))
        .options(
          format match {
            case "parquet" => Map("parquet.block.size" -> "400000")
            case "orc"     => Map("orc.stripe.size" -> "100000", "orc.stripe.row.count" -> "5000")
            case _         => Map("compression" -> "deflate")
          }
        )
        .mode("append")
        .save(whole.root.toString)
      val bytes = Files.readAllBytes(
        Files.list(whole.root).iterator().asScala.find(_.toString.endsWith(s".$format")).get
      )
      val broken = bytes.patch(bytes.length / 2, Array.fill[Byte](3000)(-1), 3000)
      val in     = new Input
      Files.write(in.root.resolve(s"broken.$format"), broken)
      def sorted(frame: DataFrame) = frame.collect().map(_.getLong(0)).toSeq.sorted
      val notes                    = new Notes
      val once                     = sorted(read(in, format, "id BIGINT, word STRING", notes))
      assert(once === once.distinct)
      assert(once.size >= 20000 && once.size < 40000 && once.contains(0L) && once.contains(39999L))
      assert(notes.all.count() === 1 && notes.all.select("leftOut").head().getString(0) === "rest")
      for (limit <- Seq("maxRowsPerTrigger" -> "3000", "maxBytesPerTrigger" -> "300000")) {
        val (place, others) = (new TestDirectory, new Notes)
        place.copy(
          spark.readStream
            .format("stoplog")
            .schema("id BIGINT, word STRING")
            .options(others.options ++ Map("format" -> format, limit))
            .load(in.root.toString)
            .selectExpr("cast(id as string)")
        )
        assert(place.lines.map(_.toLong).sorted === once, limit)
      }
    }

  for (codec <- Seq("uncompressed", "deflate", "snappy", "zstandard"))
    test(
      s"reads Avro blocks of $codec next to damaged and missing markers, and whole records of torn ones",
      LongRun.unless(codec == "deflate"): _*
    ) {
      val whole = new Input
      spark
        .range(0, 40000, 1, 1)
        .selectExpr("id", "sha2(cast(id as string), 256) as word", "date'1500-01-01' as day")
        .write
        .format("stoplog")
        .options(Map("format" -> "avro", "maxPartSize" -> "1g", "bucketAssigner" -> "basePath"))
        .option("compression", codec)
        .mode("append")
        .save(whole.root.toString)
      val file = Files.list(whole.root).iterator().asScala.find(_.toString.endsWith(".avro")).get
      val good = Files.readAllBytes(file)
      val ends = good
        .sliding(16)
        .zipWithIndex
        .collect {
          case (bytes, at) if bytes.sameElements(good.takeRight(16)) => at
        }
        .toVector
      assert(ends.size > 5)
      def patched(from: Int, bytes: Int) = good.patch(from, Array.fill[Byte](bytes)(-1), bytes)
      def read(bytes: Array[Byte])       = {
        val (in, notes) = (new Input, new Notes)
        Files.write(in.root.resolve("a.avro"), bytes)
        val rows = this.read(in, "avro", "id BIGINT, day DATE", notes).collect()
        assert(rows.forall(_.get(1).toString == "1500-01-01"))
        rows.map(_.getLong(0)).toSeq -> notes.files.size
      }
      val all                                       = 0L until 40000L
      assert(read(patched(ends(2), 16)) === all                                       -> 0, "a damaged marker")
      assert(read(patched(ends(2), 1).patch(ends(3) + 15, Array[Byte](7), 1)) === all -> 0, "two markers")
      for (cut <- Seq(1, 9, 16)) assert(read(good.dropRight(cut)) === all -> 0, s"without $cut bytes")
      val (behind, notes) = read(patched(ends(2), 20)) // with the lengths of the next block
      assert(behind === behind.distinct && behind.size > 20000 && behind.size < 40000 && notes === 1)
      assert(behind.contains(39999L))
      val (torn, ofTorn) = read(good.dropRight((ends.last - ends(ends.size - 2)) / 2))
      assert(torn === all.take(torn.size) && torn.size < 40000 && ofTorn === 1)
      if (codec == "uncompressed" || codec == "deflate")
        assert(torn.size > 40000 * (ends.size - 2) / (ends.size - 1))
    }

  test("columns and settings that do not fit end the query, and nothing is quarantined") {
    val in = new Input
    spark.range(100).coalesce(1).write.format("parquet").mode("overwrite").save(in.root.toString)
    val notes   = new Notes
    val refused = intercept[Exception](read(in, "parquet", "id INT", notes).collect())
    assert(Thrown.conditions(refused).contains("STOPLOG_SOURCE_FILE_SETTINGS"))
    assert(read(in, "parquet", "id BIGINT", notes).count() === 100)
    val group = MessageTypeParser.parseMessageType(
      "message m { required int32 day (DATE); required int64 at (TIMESTAMP(NANOS,true)); }"
    )
    val old = new Input
    Using.resource(
      ExampleParquetWriter
        .builder(new HadoopPath(old.root.resolve("a.parquet").toString))
        .withType(group)
        .build()
    )(_.write(new SimpleGroupFactory(group).newGroup().append("day", -171664).append("at", 1L)))
    for (columns <- Seq("day DATE", "at TIMESTAMP")) {
      val query = spark.readStream
        .format("stoplog")
        .schema(columns)
        .options(notes.options ++ Map("format" -> "parquet", "datetimeRebaseMode" -> "EXCEPTION"))
        .load(old.root.toString)
      val error = intercept[Exception](
        new TestDirectory().copy(query.selectExpr(s"cast(${columns.split(' ').head} as string)"))
      )
      assert(Thrown.conditions(error).contains("STOPLOG_SOURCE_FILE_SETTINGS"), columns)
    }
    assert(notes.files === Set.empty)
  }

  test("readQuarantined reads what was left out, so that each row is read once") {
    def again(in: Input, format: String, columns: String, notes: Notes) = {
      val reader = spark.read.format("stoplog").option("format", format).option("readQuarantined", notes.path)
      (if (format == "text") reader else reader.schema(columns)).load(in.root.toString)
    }
    val json = new Input
    json.write(
      "a.json",
      (0 until 1000).map(id => if (id % 10 == 3) s"{id:$id}\n" else s"{\"id\":$id}\n").mkString
    )
    val notes  = new Notes
    val first  = read(json, "json", "id INT", notes).collect().map(_.getInt(0)).toSeq
    val reader =
      spark.read.format("stoplog").options(Map("format" -> "json", "allowUnquotedFieldNames" -> "true"))
    val second = reader.option("readQuarantined", notes.path).schema("id INT").load(json.root.toString)
    assert((first ++ second.collect().map(_.getInt(0))).sorted === (0 until 1000))
    val refused = intercept[Exception](again(json, "json", "id INT", notes).collect()) // still malformed
    assert(Thrown.text(refused).contains("a.json"))

    val whole = new Input
    spark
      .range(0, 60000, 1, 1)
      .selectExpr("sha2(cast(id as string), 256) as value")
      .write
      .option("compression", "gzip")
      .mode("overwrite")
      .text(whole.root.toString)
    val bytes =
      Files.readAllBytes(Files.list(whole.root).iterator().asScala.find(_.toString.endsWith(".gz")).get)
    val torn = new Input
    Files.write(torn.root.resolve("a.gz"), bytes.take(bytes.length / 2))
    val others = new Notes
    val begin  = read(torn, "text", "value STRING", others).collect().map(_.getString(0)).toSeq
    Files.write(torn.root.resolve("a.gz"), bytes) // repaired
    val rest = again(torn, "text", "value STRING", others).collect().map(_.getString(0)).toSeq
    assert(
      begin.nonEmpty && rest.nonEmpty && (begin ++ rest).size === 60000 && (begin ++ rest).toSet.size === 60000
    )

    val parquet = new Input
    spark
      .range(0, 40000, 1, 1)
      .selectExpr("id", "sha2(cast(id as string), 256) as word")
      .write
      .format("parquet")
      .option("parquet.block.size", "400000")
      .mode("overwrite")
      .save(parquet.root.toString)
    val file = Files.list(parquet.root).iterator().asScala.find(_.toString.endsWith(".parquet")).get
    val good = Files.readAllBytes(file)
    Files.write(file, good.patch(good.length / 2, Array.fill[Byte](3000)(-1), 3000))
    val blocks = new Notes
    val intact = read(parquet, "parquet", "id BIGINT, word STRING", blocks).collect().map(_.getLong(0)).toSeq
    Files.write(file, good)
    val repaired =
      again(parquet, "parquet", "id BIGINT, word STRING", blocks).collect().map(_.getLong(0)).toSeq
    assert(intact.size < 40000 && (intact ++ repaired).sorted === (0L until 40000L))
    Files.write(file, good.take(good.length - 1))
    val changed = intercept[Exception](again(parquet, "parquet", "id BIGINT, word STRING", blocks).collect())
    assert(Thrown.conditions(changed).contains("STOPLOG_SOURCE_FILE_CHANGED"))
    Files.write(file, good)
    val stream = spark.readStream
      .format("stoplog")
      .schema("id BIGINT")
      .options(Map("format" -> "parquet", "readQuarantined" -> blocks.path))
      .load(parquet.root.toString)
    val ended = intercept[Exception](new TestDirectory().copy(stream.selectExpr("cast(id as string)")))
    assert(Thrown.text(ended).contains("only for batch queries"))
  }

  for (codec <- Seq("gzip", "zstd", "bzip2", "lz4", "snappy", "deflate"))
    test(s"reads truncated $codec text up to the break", LongRun.unless(codec == "gzip"): _*) {
      val in   = new Input
      val rows = spark.range(0, 60000, 1, 1).selectExpr("sha2(cast(id as string), 256) as value")
      val one  = Map("format" -> "text", "bucketAssigner" -> "basePath", "maxPartSize" -> "1g")
      val by   =
        if (codec == "deflate") rows.write.format("text") else rows.write.format("stoplog").options(one)
      by.option("compression", codec).mode("append").save(in.root.toString)
      val file  = Files.list(in.root).iterator().asScala.find(_.getFileName.toString.startsWith("part")).get
      val bytes = Files.readAllBytes(file)
      Files.write(file, bytes.take(bytes.length / 2))
      val suffix = file.toString.substring(file.toString.lastIndexOf('.'))
      Files.write(in.root.resolve(s"none.txt$suffix"), Array.fill[Byte](1000)(77))
      in.write("whole.txt", "last\n")
      val notes = new Notes
      val known = rows.collect().map(_.getString(0)).toSet + "last"
      val read  = this.read(in, "text", "value STRING", notes).collect().map(_.getString(0)).toSeq
      assert(read.contains("last") && read.size > 1000 && read.size < 40000)
      assert(read.forall(known))
      val files = notes.all.select("file").distinct().collect().map(row => Path.of(row.getString(0)))
      assert(files.toSet === Set(file, in.root.resolve(s"none.txt$suffix")))
      val ofBroken = read.filter(_ != "last")
      val expected = rows.limit(ofBroken.size).collect().map(_.getString(0)).toSeq
      assert(ofBroken.diff(expected).take(1) === Nil && read.count(_ == "last") === 1)
    }

  test("rejects a quarantine inside the source path") {
    def refused(options: (String, String)*) = intercept[IllegalArgumentException](
      spark.read.format("stoplog").options(options.toMap + ("format" -> "text")).load("/data/in")
    ).getMessage
    assert(refused("quarantinePath" -> "/data/in/q").contains("would be read"))
    assert(refused("onCorrupt" -> "quarantine").contains("use quarantinePath"))
  }

  private def read(
      in: Input,
      format: String,
      columns: String,
      notes: Notes,
      more: (String, String)*
  ): DataFrame = {
    val reader = spark.read.format("stoplog").options(notes.options + ("format" -> format) ++ more)
    (if (format == "text") reader else reader.schema(columns)).load(in.root.toString)
  }

  private final class Notes {
    private val directory = Files.createTempDirectory("stoplog-quarantine")

    val options: Map[String, String] =
      Map("quarantinePath" -> directory.toString)

    def path: String = directory.toString

    def all: DataFrame = spark.read.json(directory.toString)

    def files: Set[(String, String)] =
      Files.list(directory).iterator().asScala.map(f => f.getFileName.toString -> Files.readString(f)).toSet
  }
}
