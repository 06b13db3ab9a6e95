// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** One test, how much processor time it took with no mutant active, and which mutants it reaches: true for those that only the
  * first to come there reaches.
  */
case class TestRun(suite: String, test: String, millis: Long, reached: Map[Int, Boolean]) {
  def name: String = s"$suite: $test"
}

/** What the tests reach is found out once: a process that goes on behind a mutant without end reads it in a file. */
object TestRuns {
  def in(file: Path, recorded: => Seq[TestRun]): Seq[TestRun] =
    if (Files.exists(file)) Files.readAllLines(file).asScala.toSeq.map(read)
    else {
      val tests = recorded
      Files.write(file, tests.map(written).asJava)
      tests
    }

  private def written(run: TestRun): String = {
    val reached = run.reached.toSeq.sorted.map { case (mutant, once) =>
      if (once) s"$mutant*" else s"$mutant"
    }
    Seq(run.suite, s"${run.millis}", reached.mkString(" "), run.test).mkString("\t")
  }

  private def read(line: String): TestRun = line.split("\t", 4) match {
    case Array(suite, millis, mutants, test) => TestRun(suite, test, millis.toLong, reached(mutants))
    case _                                   => throw new IllegalArgumentException(line)
  }

  private def reached(mutants: String): Map[Int, Boolean] =
    mutants.split(' ').filter(_.nonEmpty).map(each => each.stripSuffix("*").toInt -> each.endsWith("*")).toMap
}
