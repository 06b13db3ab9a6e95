// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import scala.util.{Failure, Success, Try}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests
import stoplog.storage.hadoop.RefusingFs

/** Files that exist and that the operating system does not open: the query fails by name, and nothing counts as missing. */
class RefusedOpensSuite extends AnyFunSuite with SparkSessionForTests {
  private val FileCount = 30

  private val refusals = Seq(
    "Permission denied"   -> "STOPLOG_FILE_NOT_PERMITTED",
    "Too many open files" -> "STOPLOG_TOO_MANY_OPEN_FILES",
    "Stale file handle"   -> "STOPLOG_STALE_FILE_HANDLE",
    "Input/output error"  -> "STOPLOG_FILE_IO"
  )

  /** One format of lines and one of blocks; a long run tries all formats. */
  private val Sample = Set("text", "parquet")

  private val formats = Seq(
    "text"    -> Map.empty[String, String],
    "csv"     -> Map.empty[String, String],
    "json"    -> Map.empty[String, String],
    "csv"     -> Map("multiLine" -> "true"),
    "json"    -> Map("multiLine" -> "true"),
    "parquet" -> Map.empty[String, String],
    "orc"     -> Map.empty[String, String],
    "avro"    -> Map.empty[String, String]
  )

  for {
    (format, ofFormat) <- formats
    cleaning           <- Seq("delete", "archive")
  }
    test(
      s"loses no row and deletes no unread file: $format ${ofFormat.keys.mkString} with cleanSource=$cleaning",
      LongRun.unless(Sample(format) && ofFormat.isEmpty): _*
    ) {
      RefusingFs.register(spark.sparkContext.hadoopConfiguration)
      for ((why, condition) <- if (cleaning == "delete") refusals else refusals.take(1)) {
        val place = new TestDirectory
        val in    = files(format)
        val rule  = new RefusingFs.Rule(why, oneOf = 10)
        RefusingFs.rule = Some(rule)
        try
          Try(read(in, place, format, cleaning, ofFormat)) match {
            case Failure(e) => assert(Thrown.conditions(e).contains(condition), s"$why: $e")
            case Success(_) => fail(s"$why: the query ended well after ${rule.refused} refused opens")
          }
        finally RefusingFs.rule = None
        assert(names(in).size + place.lines.distinct.size >= FileCount, s"$why: a file was put away unread")
        read(in, place, format, cleaning, ofFormat)
        assert(place.lines === (1 to FileCount).map(_.toString).sorted, why)
      }
    }

  test("quarantines nothing if the operating system fails to open a file") {
    RefusingFs.register(spark.sparkContext.hadoopConfiguration)
    for {
      (format, ofFormat) <- formats
      (why, condition)   <- refusals.take(2)
    } {
      val place      = new TestDirectory
      val in         = files(format)
      val quarantine = Files.createTempDirectory("stoplog-notes")
      val options    = ofFormat ++ Map("quarantinePath" -> quarantine.toString)
      RefusingFs.rule = Some(new RefusingFs.Rule(why, oneOf = 10))
      val error =
        try intercept[Exception](read(in, place, format, "off", options))
        finally RefusingFs.rule = None
      assert(Thrown.conditions(error).contains(condition), s"$format: $error")
      assert(names(quarantine).isEmpty)
      read(in, place, format, "off", options)
      assert(place.lines === (1 to FileCount).map(_.toString).sorted, format)
    }
  }

  test("an unlistable directory is named in the error, and no file counts as removed") {
    RefusingFs.register(spark.sparkContext.hadoopConfiguration)
    val place = new TestDirectory
    val in    = files("text")
    val lost  = Files.createDirectory(in.resolve(RefusingFs.Unlisted))
    val error = intercept[Exception](read(in, place, "text", "off", Map.empty))
    assert(Thrown.conditions(error).contains("STOPLOG_FILE_NOT_PERMITTED"))
    assert(error.getMessage.contains(lost.toString))
    Files.delete(lost)
    read(in, place, "text", "off", Map.empty)
    assert(place.lines.size === FileCount)
  }

  private def read(
      in: Path,
      place: TestDirectory,
      format: String,
      cleaning: String,
      options: Map[String, String]
  ): Unit = {
    val archive = if (cleaning == "archive") Map("sourceArchiveDir" -> s"$in-archive") else Map.empty
    val rows    = spark.readStream
      .format("stoplog")
      .schema("value STRING")
      .options(
        Map(
          "format"             -> format,
          "ignoreMissingFiles" -> "true",
          "cleanSource"        -> cleaning,
          "maxFilesPerTrigger" -> "15"
        ) ++ archive ++ options
      )
      .load(s"${RefusingFs.Scheme}:$in")
    place.copy(rows)
    ()
  }

  /** One row in each. */
  private def files(format: String): Path = {
    val in = Files.createTempDirectory("stoplog-refusing")
    format match {
      case "text" | "csv" => for (n <- 1 to FileCount) Files.writeString(in.resolve(s"f$n"), s"$n\n")
      case "json"         =>
        for (n <- 1 to FileCount) Files.writeString(in.resolve(s"f$n"), s"""{"value":"$n"}""" + "\n")
      case _ =>
        spark
          .range(1, FileCount + 1L, 1, FileCount)
          .selectExpr("cast(id as string) as value")
          .write
          .format("stoplog")
          .options(Map("format" -> format, "bucketAssigner" -> "basePath"))
          .mode("append")
          .save(in.toString)
    }
    in
  }

  private def names(directory: Path): Seq[String] =
    Option(directory.toFile.list()).toSeq.flatten.filterNot(name =>
      name.startsWith(".") || name.startsWith("_")
    )
}
