// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.OutputStream
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Paths}

import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.bucket.BasePathBucketAssigner
import stoplog.format.{Encoder, SparkSessionForTests}

/** Nothing that happens once per part lies on the path of the rows: the JVM would discard the compiled code
  * at each new part, and executors are often too short-lived to compile it again.
  */
class DeoptimizationSuite extends AnyFunSuite with SparkSessionForTests {

  test("no compiled method is discarded after the second part of a query") {
    val lines = run("format=text", "maxRecordsPerPart=200000")
    // A busy machine may compile a method late, with an incomplete profile, and discard the method once. What
    // happens at each part happens in every JVM.
    val found = lines.filter(isLate).distinct
    val again = if (found.isEmpty) Nil else run("format=text", "maxRecordsPerPart=200000")
    assert(found.intersect(again) === Nil)
    val compiled = lines.collect {
      case line if line.startsWith(DeoptimizedMethods.CompiledMark) =>
        line.drop(DeoptimizedMethods.CompiledMark.length).toInt
    }
    assert(compiled.sum > 0, "without a compiled method, the test shows nothing")
  }

  test("a row passes few methods between the writer and its encoder") {
    val place = new TestDirectory
    val rows  = spark.range(0, 1000, 1, numPartitions = 1).selectExpr("cast(id AS STRING) AS line")
    FileSink
      .forRowFormat(place.out, new CountingFrames)
      .withBucketAssigner(new BasePathBucketAssigner)
      .build()
      .write(rows)
      .save()
    assert(place.lines.size === 1000)
    // Beside these, a row passes five methods: its bucket, and the room of its part.
    assert(CountingFrames.most.size <= 9)
  }

  private def isLate(line: String): Boolean = line.startsWith(DeoptimizedMethods.Mark)

  /** In another JVM, because this one compiles by its first compiler only. */
  private def run(options: String*): Seq[String] = {
    val place = Files.createTempDirectory("stoplog-deoptimized").toString
    val opens =
      ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.filter(_.startsWith("--add-opens"))
    val java    = Paths.get(System.getProperty("java.home"), "bin", "java").toString
    val process = new ProcessBuilder(
      (Seq(java, "-Xmx1g", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")) ++ opens ++
        Seq(
          s"-Djava.io.tmpdir=${System.getProperty("java.io.tmpdir")}",
          "stoplog.spark.DeoptimizedMethods",
          place
        ) ++
        options).asJava
    ).redirectError(ProcessBuilder.Redirect.INHERIT).start()
    val lines = Using.resource(Source.fromInputStream(process.getInputStream))(_.getLines().toVector)
    assert(process.waitFor() === 0)
    lines
  }
}

/** Writes lines, and notes which methods of stoplog call the encoder. */
final class CountingFrames extends Encoder {

  override def encode(row: InternalRow, out: OutputStream): Unit = {
    val frames = StackWalker
      .getInstance()
      .walk[Seq[String]](_.skip(1).iterator.asScala.map(_.toString).filter(_.startsWith("stoplog.")).toSeq)
    if (frames.size > CountingFrames.most.size) CountingFrames.most = frames
    row.getUTF8String(0).writeTo(out)
    out.write('\n')
  }
}

object CountingFrames {
  @volatile var most: Seq[String] = Nil
}
