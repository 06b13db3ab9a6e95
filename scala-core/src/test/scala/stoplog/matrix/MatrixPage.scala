package stoplog.matrix

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import stoplog.fault.Step

/** `docs/crash-matrix.md`, as the run that tried every cell writes it. */
object MatrixPage {

  /** In the root of the build, wherever below it the tests are run. */
  def file: Path = Iterator
    .iterate(Paths.get("").toAbsolutePath)(_.getParent)
    .takeWhile(_ != null)
    .find(directory => Files.exists(directory.resolve("build.sbt")))
    .getOrElse(throw new IllegalStateException("not run below the build's root"))
    .resolve("docs/crash-matrix.md")

  /** Layouts and contents for which the long run leaves nothing out. */
  def thorough(layout: Layout, content: Content): Boolean =
    (layout == Layout.Staging) == (content == Content.Plain)

  def write(page: String): Unit = {
    Files.createDirectories(file.getParent)
    Files.write(file, page.getBytes(UTF_8))
    ()
  }

  def render(occurrences: Map[Step, Int], batchOccurrences: Map[Step, Int]): String = {
    val (all, some) = (for {
      layout  <- Layout.all
      content <- Content.all
    } yield (layout, content))
      .partition { case (layout, content) => thorough(layout, content) }
    val queries = table(Steps.ofQueries, occurrences, Fate.all.map(_.name -> Result))
    val batches = table(Steps.ofBatchJobs, batchOccurrences, Seq(Fate.Killed.name -> BatchResult))
    s"""# Crash matrix: local storage
       |
       |Written by the run that proves it (`STOPLOG_LONG=1 STOPLOG_WRITE_DOCS=1`, suite
       |`stoplog.matrix.CrashMatrixSuite`); the ordinary run tries the first or the last occurrence of each step
       |and checks that this page is current.
       |
       |A query of ${JobRows.Epochs} epochs in two runs, with a changing number of tasks, repeated task attempts,
       |parts rolled by rows, age, open limit and end, and old orphans, is stopped at each occurrence of each step:
       |
       |${Fate.all.map(fate => s"- **${fate.name}**: ${fate.meaning}.").mkString("\n")}
       |
       |Then a new run does the rest. With the unfinished parts and the content ${named(all)}
       |every occurrence is tried, and every pair of steps besides: the successor of a killed process is killed, too.
       |With ${named(some)} the first, the middle and the last occurrence.
       |
       |"$Result" means: read with plain java.nio, every row of every epoch is there exactly once, no file is torn,
       |no name but those of finished parts is visible, and a later run sweeps away all that was unfinished.
       |
       |{queries}
       |
       |## Batch jobs
       |
       |A batch write in mode overwrite is killed at each occurrence of each step, with every content. The
       |next job under the path then deals with what it finds. "$BatchResult" means: readers see all old rows and no
       |new one if the process died before its record, and all new rows and no old one otherwise; each row once.
       |
       |{batches}
       |""".stripMargin.replace("{queries}", queries).replace("{batches}", batches)
  }

  private def table(steps: Seq[Step], occurrences: Map[Step, Int], results: Seq[(String, String)]): String = {
    val head = Seq("Step", "On storage when the process stops there", "Occurrences") ++ results.map(_._1)
    val rows = steps.map { step =>
      val times = occurrences(step)
      Seq(s"`${step.name}`", step.after, if (times == 1) "1" else s"1 to $times") ++ results.map(_._2)
    }
    (head +: head.map(_ => "---") +: rows).map(line).mkString("\n")
  }

  private def named(cells: Seq[(Layout, Content)]): String =
    cells.map { case (layout, content) => s"${layout.name}/${content.name}" }.mkString(" and ")

  private def line(cells: Seq[String]): String = cells.mkString("| ", " | ", " |")

  private val Result      = "each row once"
  private val BatchResult = "old or new, whole"
}
