// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import java.io.File
import java.nio.file.{Files, Path, Paths, StandardOpenOption}

import scala.jdk.CollectionConverters._

/** Runs tests against mutants that `Instrument` made: each against those tests that reach it, shortest first.
  *
  * It adds a line for each mutant to `results.tsv`: its id, `killed`, `survived`, `timeout` or `unreached`, and the test
  * that failed. A mutant that does not end stops the process with code 3: the next run of it goes on behind that mutant.
  *
  * usage: RunMutants <folder of Instrument> <folders of classes, by colons> <prefix or name of suites>...
  */
object RunMutants {
  private val endless = 3

  def main(arguments: Array[String]): Unit = {
    val folder   = Paths.get(arguments(0))
    val classes  = folder.resolve("classes").toString +: arguments(1).split(File.pathSeparator).toSeq
    val suites   = new Suites(classes.map(Paths.get(_).toUri.toURL))
    def recorded = {
      val named = isNamed(arguments.drop(2).toSeq) _
      suites.all(named, classes.flatMap(classNames(_)).distinct.sorted).flatMap(suites.withoutMutants)
    }
    val tests = TestRuns.in(folder.resolve("tests.tsv"), recorded)
    val count = tests.map(_.suite).distinct.size
    println(s"${tests.size} tests in $count suites take ${tests.map(_.millis).sum / 1000.0} s")

    val results = new Results(folder.resolve("results.tsv"))
    for (mutant <- ids(folder.resolve("mutants.tsv")).filterNot(results.known)) {
      val bySuite = reaching(mutant, tests)
      if (bySuite.isEmpty) results.add(mutant, "unreached")
      else {
        val killer = suites.killer(
          mutant,
          bySuite,
          endless = () => {
            results.add(mutant, "timeout")
            Runtime.getRuntime.halt(endless)
          }
        )
        results.add(mutant, if (killer.isDefined) "killed" else "survived", killer.getOrElse(""))
      }
    }
    Runtime.getRuntime.halt(0) // threads that a mutant left behind do not keep it alive
  }

  /** A pattern that ends in a point is a package with all below it; any other one is a suite, left out after a minus. */
  private def isNamed(patterns: Seq[String])(name: String): Boolean = {
    val (without, asked) = patterns.partition(_.startsWith("-"))
    asked.exists(pattern => if (pattern.endsWith(".")) name.startsWith(pattern) else name == pattern) &&
    !without.contains(s"-$name")
  }

  private def classNames(folder: String): Seq[String] = {
    val root  = Paths.get(folder)
    val files = if (Files.isDirectory(root)) Files.walk(root).iterator.asScala.toSeq else Seq.empty
    files.map(root.relativize(_).toString).filter(name => name.endsWith(".class") && !name.contains("$")).map {
      name =>
        name.stripSuffix(".class").replace(File.separatorChar, '.')
    }
  }

  private def ids(file: Path): Seq[Int] =
    Files.readAllLines(file).asScala.toSeq.map(_.takeWhile(_ != '\t').toInt)

  /** A test that reaches it in an initializer is only the first of those that use what it made: then all of the suite
    * run.
    */
  private def reaching(mutant: Int, tests: Seq[TestRun]): Seq[(String, Seq[TestRun])] = {
    val suites = tests.groupBy(_.suite).toSeq.flatMap { case (suite, ofSuite) =>
      val reached = ofSuite.filter(_.reached.contains(mutant))
      val once    = reached.exists(_.reached(mutant))
      val run     = if (once) ofSuite else reached
      if (run.isEmpty) None else Some(suite -> run.sortBy(_.millis))
    }
    suites.sortBy(_._2.map(_.millis).sum)
  }

  private class Results(file: Path) {
    val known: Set[Int] = if (Files.exists(file)) ids(file).toSet else Set.empty

    def add(mutant: Int, outcome: String, by: String = ""): Unit = {
      val line = s"$mutant\t$outcome\t${by.replaceAll("\\s+", " ")}\n"
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
    }
  }
}
