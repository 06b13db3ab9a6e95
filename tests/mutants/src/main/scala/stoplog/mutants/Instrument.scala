// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

/** Writes classes with all mutants of some source files in them, and the list of these mutants.
  *
  * usage: Instrument <file with the class path> <root of the sources> <target> <source file>...
  */
object Instrument {
  def main(arguments: Array[String]): Unit = {
    val classPath = Files.readString(Paths.get(arguments(0))).trim
    val root      = Paths.get(arguments(1))
    val target    = Paths.get(arguments(2))
    val sources   = arguments.drop(3).toSeq.map(file => file -> Files.readString(root.resolve(file)))
    val mutants   = Compilation(sources, classPath, target.resolve("classes"))
    write(target.resolve("mutants.tsv"), mutants)
    println(s"${mutants.size} mutants in ${sources.size} files")
  }

  private def write(file: Path, mutants: Seq[Mutant]): Unit = {
    val lines = mutants.map { mutant =>
      mutant.productIterator.mkString("\t")
    }
    Files.write(file, lines.asJava)
  }
}
