// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.nio.channels.{Channels, FileChannel}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.nio.file.StandardOpenOption.{CREATE, READ, WRITE}

import scala.util.Using
import scala.util.matching.Regex

import stoplog.fault.Step

/** A page of `build/reports`. The run that has tried every cell of a chapter writes the section of this chapter.
  *
  * @param name         the name of the file
  * @param introduction what stands above the sections
  * @param chapters     in the order of the page
  */
final class MatrixPage(name: String, introduction: => String, chapters: => Vector[MatrixSection]) {

  /** Puts the section into its place. Suites of other projects write theirs at the same time, in JVMs of their own. */
  def write(chapter: MatrixSection, section: String): Unit = {
    Files.createDirectories(file.getParent)
    Using.resource(FileChannel.open(file, CREATE, READ, WRITE)) { page =>
      page.lock()
      val text = new String(Channels.newInputStream(page).readAllBytes(), UTF_8)
      val all  = sections(text) + (chapter -> section)
      val next = UTF_8.encode(introduction + chapters.flatMap(all.get(_)).map("\n" + _).mkString)
      page.truncate(0)
      while (next.hasRemaining) page.write(next)
    }
  }

  private def sections(page: String): Map[MatrixSection, String] = {
    val at = page.split("(?m)^(?=## )").toVector
    chapters.flatMap { chapter =>
      at.find(_.startsWith(s"## ${chapter.title}\n")).map(text => chapter -> (text.stripTrailing + "\n"))
    }.toMap
  }

  private def file: Path = MatrixPage.root.resolve(s"build/reports/$name")
}

object MatrixPage {
  val Result: String = "each row once"

  /** Returns the number of steps that the guide states for a chapter. */
  def stepsInGuide(chapter: MatrixSection): Option[Int] = {
    val row  = s"(?m)^\\| ${Regex.quote(chapter.title)} \\| (\\d+) \\|".r
    val page = Files.readString(root.resolve("docs/correctness/crash-matrix.md"))
    row.findFirstMatchIn(page).map(_.group(1).toInt)
  }

  /** Returns the number of steps in a section. */
  def stepsOf(section: String): Int = section.linesIterator.count(_.startsWith("| `"))

  val OfFiles: MatrixPage =
    new MatrixPage("crash-matrix.md", Introductions.ofFiles, MatrixSection.ofFiles)

  val OfConnectors: MatrixPage =
    new MatrixPage(
      "crash-matrix-connectors.md",
      Introductions.ofConnectors,
      MatrixSection.ofConnectors
    )

  /** @param occurrences how many there are, or which
    * @param fates       what became of each, by name
    * @param where       the head of the column of what `after` tells
    * @param after       what is where when the process stops there
    */
  def table(
      steps: Seq[Step],
      occurrences: Step => String,
      fates: Seq[(String, Step => String)],
      where: String = "On storage",
      after: Step => String = _.after
  ): String = {
    val head = Seq("Step", s"$where when the process stops there", "Occurrences") ++ fates.map(_._1)
    val rows =
      steps.map(step => Seq(s"`${step.name}`", after(step), occurrences(step)) ++ fates.map(_._2(step)))
    (head +: head.map(_ => "---") +: rows).map(_.mkString("| ", " | ", " |")).mkString("\n")
  }

  /** The same where all occurrences have been tried, with one result for all of them.
    *
    * @param occurrences how many there are, by what is written
    */
  def table(
      steps: Seq[Step],
      occurrences: Seq[(String, Map[Step, Int])],
      results: Seq[(String, String)]
  ): String = {
    def upTo(last: Int) = if (last == 1) "1" else s"1 to $last"
    def all(step: Step) = occurrences.flatMap { case (what, found) => found.get(step).map(what -> _) } match {
      case found if found.size == occurrences.size && found.map(_._2).distinct.size == 1 =>
        upTo(found.head._2)
      case found => found.map { case (what, last) => what + upTo(last) }.mkString("; ")
    }
    table(steps, all(_), results.map { case (fate, result) => fate -> ((_: Step) => result) })
  }

  /** The text in lines as long as others of the page. */
  def paragraph(text: String): String = text.split(' ').reduceLeft { (lines, word) =>
    val line = lines.drop(lines.lastIndexOf('\n') + 1)
    if (line.length + 1 + word.length > LineLength) s"$lines\n$word" else s"$lines $word"
  }

  def named(sites: Seq[Scenario]): String = sites.map(_.name).mkString(" and ")

  /** The root of the build, also if the tests run in a directory below. */
  private def root: Path = Iterator
    .iterate(Paths.get("").toAbsolutePath)(_.getParent)
    .takeWhile(_ != null)
    .find(directory => Files.exists(directory.resolve("build.sbt")))
    .getOrElse(throw new IllegalStateException("not run below the build's root"))

  private def LineLength = 118
}
