// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import java.nio.file.{Files, Path}

import scala.collection.mutable
import scala.reflect.internal.util.{BatchSourceFile, CodeAction, Position}
import scala.tools.nsc.reporters.FilteringReporter
import scala.tools.nsc.{Global, Settings}

/** Compiles instrumented files; those mutants that are no Scala, of the wrong type for example, are left out. */
object Compilation {
  private val maxRounds = 12

  def apply(sources: Seq[(String, String)], classPath: String, target: Path): Seq[Mutant] = {
    def round(without: Set[Int], rounds: Int): Seq[Mutant] = {
      val files  = instrument(sources, without)
      val errors = compile(files, classPath, target)
      if (errors.isEmpty) files.flatMap(_.mutants)
      else {
        val broken = errors.flatMap { case (file, offset, message) =>
          val text = files.find(_.file == file).map(_.text).getOrElse("")
          val at   = Instrumented.mutantAt(text, offset)
          if (at.isEmpty) System.err.println(s"$file: $message: ${text.slice(offset - 60, offset + 60)}")
          at
        }
        require(broken.nonEmpty && rounds > 0, "The instrumented sources do not compile.")
        round(without ++ broken, rounds - 1)
      }
    }
    round(Set.empty, maxRounds)
  }

  private def instrument(sources: Seq[(String, String)], without: Set[Int]): Seq[Instrumented] = {
    val idsOfFile = 100000 // ids stay what they are when an earlier file has more mutants or fewer
    sources.zipWithIndex.map { case ((file, text), index) =>
      Instrumented(file, text, index * idsOfFile, without)
    }
  }

  private def compile(
      files: Seq[Instrumented],
      classPath: String,
      target: Path
  ): Seq[(String, Int, String)] = {
    val settings = new Settings(message => System.err.println(message))
    settings.classpath.value = classPath
    settings.outputDirs.setSingleOutput(Files.createDirectories(target).toString)
    settings.processArgumentString("-release 17 -nowarn -Xmixin-force-forwarders:false")
    val errors = new Errors(settings)
    val global = new Global(settings, errors)
    new global.Run().compileSources(files.map(file => new BatchSourceFile(file.file, file.text)).toList)
    errors.found.toSeq
  }

  private class Errors(val settings: Settings) extends FilteringReporter {
    val found = mutable.ArrayBuffer.empty[(String, Int, String)]

    override def doReport(
        at: Position,
        message: String,
        severity: Severity,
        actions: List[CodeAction]
    ): Unit =
      if (severity == ERROR) {
        if (at.isDefined) found += ((at.source.path, at.point, message))
        else throw new IllegalStateException(message)
      }
  }
}
