// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** Queries that would read what they write, or archive what they would read again. */
class OwnOutputSuite extends AnyFunSuite with SparkSessionForTests {

  private val cases = Seq(
    ("in", "in/out", Map.empty[String, String], true),
    ("in", "in", Map.empty[String, String], true),
    ("in/*", "in/out", Map.empty[String, String], true),
    ("out/raw", "out", Map.empty[String, String], true),
    ("in", "in/_out", Map.empty[String, String], false),
    ("in", "in/out", Map("pathGlobFilter" -> "*.log"), false),
    ("in", "in/out", Map("recursiveFileLookup" -> "false"), false),
    ("out/_raw", "out", Map.empty[String, String], false),
    ("in", "in2", Map.empty[String, String], false)
  )

  for ((from, to, options, isRefused) <- cases)
    test(s"a query from $from to $to with $options is ${if (isRefused) "rejected" else "accepted"}") {
      val place = new Place(from.stripSuffix("/*"))
      if (isRefused) {
        val error = intercept[StreamingQueryException](place.run(from, to, options))
        assert(Thrown.conditions(error).contains("STOPLOG_INVALID_OPTIONS"))
        assert(error.getMessage.contains("own output"))
      } else place.run(from, to, options)
    }

  test("a sink in a linked directory of path is rejected") {
    val place = new Place("in")
    Files.createSymbolicLink(place.root.resolve("link"), place.root.resolve("in"))
    val error = intercept[StreamingQueryException](place.run("in", "link/out", Map.empty))
    assert(error.getMessage.contains("own output"))
  }

  test("an archive above path is rejected, unless no nested directory is read") {
    val place   = new Place("in")
    val archive = Map("cleanSource" -> "archive", "sourceArchiveDir" -> place.root.toString)
    val error   = intercept[IllegalArgumentException](place.run("in", "out", archive))
    assert(Thrown.conditions(error).contains("STOPLOG_INVALID_OPTIONS"))
    assert(error.getMessage.contains("is above path"))
    place.run("in", "out", archive + ("recursiveFileLookup" -> "false"))
    assert(Files.exists(place.root.resolve("a.log")))
    place.write("in/single.log")
    place.run("in/single.log", "out2", archive)
    assert(Files.exists(place.root.resolve("single.log")))
  }

  private final class Place(input: String) {
    val root: Path = Files.createTempDirectory("stoplog-own-output")
    write(s"$input/a.log")

    def write(file: String): Unit = {
      Files.createDirectories(root.resolve(file).getParent)
      Files.writeString(root.resolve(file), "a row\n"): Unit
    }

    def run(from: String, to: String, options: Map[String, String]): StreamingQuery = {
      val query = spark.readStream
        .format("stoplog")
        .option("format", "text")
        .options(options)
        .load(s"$root/$from")
        .writeStream
        .format("stoplog")
        .option("format", "text")
        .option("checkpointLocation", s"$root/checkpoint-$to")
        .trigger(Trigger.AvailableNow())
        .start(s"$root/$to")
      query.awaitTermination()
      query
    }
  }
}
