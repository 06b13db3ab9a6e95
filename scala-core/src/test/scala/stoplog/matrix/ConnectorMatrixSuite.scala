// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.collection.concurrent.TrieMap

import stoplog.fault.Step

/** Every step that a connector's query passes, stopped.
  *
  * With `STOPLOG_LONG` the first, the middle and the last occurrence of each, otherwise the middle one of a sample.
  *
  * @param chapter that the run writes
  */
abstract class ConnectorMatrixSuite(chapter: MatrixSection.Sending) extends ChapterWriter {

  /** What the rows are written to, and how; in sentences. */
  protected def about: String

  /** Those that a query passes. */
  protected def steps: Vector[Step]

  /** Targets of different make, by name. */
  protected def targets: Seq[(String, () => ConnectorWorld)]

  /** Whether an ordinary run stops here. */
  protected def sampled(step: Step, fate: CrashMode): Boolean

  /** What becomes of a process that stops. */
  protected def fates: Vector[CrashMode] = Vector(CrashMode.Killed, CrashMode.Woken)

  /** Where a process that only sleeps keeps its successors waiting. */
  protected def holding: Set[Step] = Set.empty

  /** Whether an epoch that was planned anew is refused, or written as if the former plan had never been. */
  protected def remembersEpochs: Boolean = true

  /** What is in log and target, if it is not what the step itself says. */
  protected def after(step: Step): String = step.after

  protected def result(step: Step, fate: CrashMode): String = MatrixPage.Result

  override protected def threads: Int = 2

  private val found = TrieMap.empty[String, Map[Step, Int]]

  /** The tests, once the suite has said all of the above. */
  protected final def testMatrix(): Unit = {
    test("an undisturbed query passes every step") {
      for ((name, _) <- targets) assert(occurrences(name).keySet === steps.toSet, name)
    }

    for {
      (name, _) <- targets
      fate      <- fates
    }
      test(s"$name: a query recovers from a process ${fate.name} at each step")(hold(name, fate)(_ => None))

    if (long)
      for ((name, _) <- targets)
        test(s"$name: a query recovers if its process and the successor are killed at each step") {
          hold(name, CrashMode.Killed)(step => Some(CrashPoint.At(step, 1)))
        }

    for ((name, _) <- targets if remembersEpochs)
      test(s"$name: a query recovers at each step if a restored checkpoint replans the epoch") {
        holdAll(for {
          step       <- steps if long || sampled(step, CrashMode.Killed)
          occurrence <- tried(occurrences(name)(step))
        } yield ConnectorReplan(targets.toMap.apply(name), CrashPoint.At(step, occurrence)))(_.verdict())
      }

    testPage(chapter)
  }

  private def hold(name: String, fate: CrashMode)(again: Step => Option[CrashPoint.At]): Unit = {
    val newWorld = targets.toMap.apply(name)
    holdAll(
      for {
        step       <- steps if long || sampled(step, fate)
        occurrence <- tried(occurrences(name)(step))
      } yield ConnectorCrash(
        newWorld,
        CrashPoint.At(step, occurrence),
        fate,
        again(step),
        holding(step),
        result(step, fate)
      )
    )(_.verdict())
  }

  private def occurrences(name: String): Map[Step, Int] =
    found.getOrElseUpdate(name, ConnectorCrash.occurrences(targets.toMap.apply(name)))

  private def tried(last: Int): Seq[Int] =
    if (long) ConnectorMatrixSuite.thorough(last) else Seq((last + 1) / 2)

  override protected def section: String = {
    val counted                           = occurrences(targets.head._1)
    def cell(fate: CrashMode)(step: Step) =
      s"${result(step, fate)} (${ConnectorMatrixSuite.thorough(counted(step)).mkString(", ")})"
    val twice = "killed twice" -> ((step: Step) => result(step, CrashMode.Killed))
    val table = MatrixPage.table(
      steps,
      counted(_).toString,
      fates.map(fate => fate.name -> cell(fate) _).patch(1, Seq(twice), 0),
      where = "In log and target",
      after
    )
    Seq(s"## ${chapter.title}", MatrixPage.paragraph(about), table).mkString("", "\n\n", "\n")
  }
}

private object ConnectorMatrixSuite {

  /** The first, the middle and the last. */
  def thorough(last: Int): Seq[Int] = Seq(1, (last + 1) / 2, last).distinct
}
