// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import stoplog.fault.Step

/** `docs/crash-matrix.md`, of which the run that tried every cell of a storage writes that storage's section. */
object MatrixPage {
  val Result: String = "each row once"

  /** The section as it stands on the page; `""` when there is none. */
  def sectionOf(chapter: Chapter): String = sections.getOrElse(chapter, "")

  /** Puts the section into its place. */
  def write(chapter: Chapter, section: String): Unit = {
    val all  = sections + (chapter -> section)
    val page = introduction + Chapter.all.flatMap(all.get(_)).map("\n" + _).mkString
    Files.createDirectories(file.getParent)
    Files.write(file, page.getBytes(UTF_8))
    ()
  }

  /** @param occurrences how many there are, or which
    * @param fates       what became of each, by name
    */
  def table(steps: Seq[Step], occurrences: Step => String, fates: Seq[(String, Step => String)]): String = {
    val head = Seq("Step", "On storage when the process stops there", "Occurrences") ++ fates.map(_._1)
    val rows =
      steps.map(step => Seq(s"`${step.name}`", step.after, occurrences(step)) ++ fates.map(_._2(step)))
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

  def named(sites: Seq[Site]): String = sites.map(_.name).mkString(" and ")

  private def LineLength = 118

  /** In the root of the build, wherever below it the tests are run. */
  private def file: Path = Iterator
    .iterate(Paths.get("").toAbsolutePath)(_.getParent)
    .takeWhile(_ != null)
    .find(directory => Files.exists(directory.resolve("build.sbt")))
    .getOrElse(throw new IllegalStateException("not run below the build's root"))
    .resolve("docs/crash-matrix.md")

  private def sections: Map[Chapter, String] = {
    val page = if (Files.exists(file)) Files.readString(file) else ""
    val at   = page.split("(?m)^(?=## )").toVector
    Chapter.all.flatMap { chapter =>
      at.find(_.startsWith(s"## ${chapter.title}\n")).map(text => chapter -> (text.stripTrailing + "\n"))
    }.toMap
  }

  private def introduction: String =
    s"""# Crash matrix
       |
       |Each section is written by the run that proves it (`STOPLOG_LONG=1 STOPLOG_WRITE_DOCS=1`, the suites of
       |`stoplog.matrix`); the ordinary run tries a sample and checks that this page is current.
       |
       |A query of ${JobRows.Epochs} epochs in two runs, with a changing number of tasks, repeated task attempts,
       |parts rolled by rows, age, open limit and end, and old orphans, is stopped at a step of the protocol:
       |
       |${Fate.all.map(fate => s"- **${fate.name}**: ${fate.meaning}.").mkString("\n")}
       |
       |Then a new run does the rest.
       |
       |"$Result" means: read with a client that knows nothing of stoplog, every row of every epoch is there exactly
       |once, no file is torn, no name but those of finished parts is visible, and a later run sweeps away all that
       |was unfinished. Where parts are of blocks, every file that the newest record names beside a part is whole when
       |the process stops, and none is left at the end.
       |""".stripMargin
}
