// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Paths}

import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

/** Nothing that happens once per part lies on the path of the rows: the JVM would discard the compiled code at each
  * new part, and executors are often too short-lived to compile it again.
  */
class DeoptimizationSuite extends AnyFunSuite {

  test("no compiled method is discarded after the second part of a query") {
    val lines = run("format=text", "maxRecordsPerPart=200000")
    assert(lines.filter(_.startsWith(DeoptimizedMethods.Mark)) === Nil)
    val compiled = lines.collect {
      case line if line.startsWith(DeoptimizedMethods.CompiledMark) =>
        line.drop(DeoptimizedMethods.CompiledMark.length).toInt
    }
    assert(compiled.sum > 0, "without a compiled method, the test shows nothing")
  }

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
