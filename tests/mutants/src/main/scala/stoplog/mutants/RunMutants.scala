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
    val folder  = Paths.get(arguments(0))
    val classes = folder.resolve("classes").toString +: arguments(1).split(File.pathSeparator).toSeq
    val suites  = new Suites(classes.map(Paths.get(_).toUri.toURL))
    val names   = suites.all(isNamed(arguments.drop(2).toSeq), classes.flatMap(classNames(_)).distinct.sorted)
    val tests   = names.flatMap(suites.withoutMutants)
    println(s"${tests.size} tests in ${names.size} suites take ${tests.map(_.millis).sum / 1000.0} s")

    val results = new Results(folder.resolve("results.tsv"))
    for (mutant <- ids(folder.resolve("mutants.tsv")).filterNot(results.known)) {
      val bySuite = reaching(mutant, tests)
      if (bySuite.isEmpty) results.add(mutant, "unreached")
      else {
        val limit = 20000 + 10 * bySuite.flatMap(_._2).map(_.millis).sum
        Active.set(mutant)
        val killer = within(limit)(firstKiller(suites, bySuite)) {
          results.add(mutant, "timeout")
          Runtime.getRuntime.halt(endless)
        }
        Active.set(Active.None)
        results.add(mutant, if (killer.isDefined) "killed" else "survived", killer.getOrElse(""))
      }
    }
    Runtime.getRuntime.halt(0) // threads that a mutant left behind do not keep it alive
  }

  /** A pattern that ends in a point is a package with all below it; any other one is a suite. */
  private def isNamed(patterns: Seq[String])(name: String): Boolean = patterns.exists { pattern =>
    if (pattern.endsWith(".")) name.startsWith(pattern) else name == pattern
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

  private def firstKiller(suites: Suites, bySuite: Seq[(String, Seq[TestRun])]): Option[String] =
    bySuite.iterator
      .flatMap { case (suite, tests) =>
        suites.killer(suite, tests.map(_.test)).map(test => s"$suite: $test")
      }
      .nextOption()

  private def within[A](millis: Long)(run: => A)(late: => Unit): A = {
    val watch = new Thread(() =>
      try {
        Thread.sleep(millis)
        late
      } catch { case _: InterruptedException => }
    )
    watch.setDaemon(true)
    watch.start()
    try run
    finally watch.interrupt()
  }

  private class Results(file: Path) {
    val known: Set[Int] = if (Files.exists(file)) ids(file).toSet else Set.empty

    def add(mutant: Int, outcome: String, by: String = ""): Unit = {
      val line = s"$mutant\t$outcome\t${by.replaceAll("\\s+", " ")}\n"
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
    }
  }
}
