// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.collection.concurrent.TrieMap

import stoplog.fault.Step

/** Every step of announcements, stopped: each announcement arrives, in order, and none before its files are visible; to a
  * target with a position, each once.
  *
  * With `STOPLOG_LONG` every occurrence, otherwise the first, the middle and the last occurrence.
  */
class AnnouncementMatrixSuite extends ChapterWriter {
  private val works =
    Vector(AnnouncedWork.Query(Content.Plain), AnnouncedWork.Query(Content.Compacted), AnnouncedWork.Append)
  private val kinds = Vector(AnnouncedPlace.Plain, AnnouncedPlace.Positioned)
  private val found = TrieMap.empty[(AnnouncedWork, AnnouncedPlace.Kind), Map[Step, Int]]

  override protected def threads: Int = 2

  for {
    work <- works
    kind <- kinds
  } {
    test(s"undisturbed work passes every step: ${work.name}, ${kind.name}") {
      assert(occurrences(work, kind).keySet === work.steps.toSet)
    }

    for (fate <- fates)
      test(s"announcements survive a process ${fate.name} at each step: ${work.name}, ${kind.name}") {
        holdAll(
          for {
            step       <- work.steps
            occurrence <- tried(occurrences(work, kind)(step))
          } yield AnnouncementCrash(work, kind, CrashPoint.At(step, occurrence), fate, again = None)
        )(_.verdict())
      }

    test(s"announcements survive a kill at each step and another kill: ${work.name}, ${kind.name}") {
      holdAll(for {
        step <- work.steps
        next <- work.steps
      } yield {
        val middle = (occurrences(work, kind)(step) + 1) / 2
        AnnouncementCrash(
          work,
          kind,
          CrashPoint.At(step, middle),
          CrashMode.Killed,
          Some(CrashPoint.At(next, 1))
        )
      })(_.verdict())
    }
  }

  testPage(MatrixSection.Announcing)

  override protected def section: String = {
    val text = MatrixPage.paragraph(
      "A query in two runs and a batch job, on a local disk, announce their files to a target that outlives all " +
        "processes. A query announces each second record at the earliest moment, and the other records with the next " +
        s"record. \"${AnnouncementMatrixSuite.Result}\" means: the target has every announcement of the log in the order " +
        "of the log, and a target with a position has each one once; no file was announced before readers saw the " +
        "file; no visible file lacks an announcement; and the log of the batch job is deleted in the end."
    )
    val table = MatrixPage.table(
      Step.ofAnnouncements,
      step =>
        works
          .flatMap(work =>
            occurrences(work, AnnouncedPlace.Plain).get(step).map(last => s"${work.name}: $last")
          )
          .mkString("; "),
      (fates.map(_.name) :+ s"${CrashMode.Killed.name} twice")
        .map(_ -> ((_: Step) => AnnouncementMatrixSuite.Result))
    )
    Seq(s"## ${MatrixSection.Announcing.title}", text, table).mkString("", "\n\n", "\n")
  }

  private def fates: Vector[CrashMode] = Vector(CrashMode.Killed, CrashMode.Woken)

  private def occurrences(work: AnnouncedWork, kind: AnnouncedPlace.Kind): Map[Step, Int] =
    found.getOrElseUpdate((work, kind), AnnouncementCrash.occurrences(work, kind))

  private def tried(last: Int): Seq[Int] = if (long) 1 to last else Seq(1, (last + 1) / 2, last).distinct
}

object AnnouncementMatrixSuite {
  private val Result = "all, in order"
}
