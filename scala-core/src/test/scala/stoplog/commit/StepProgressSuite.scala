// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.part.FinishedPart
import stoplog.spark.LogCapture

class StepProgressSuite extends AnyFunSuite {

  test("a step of less than ten seconds logs nothing") {
    assert(said(total = 100, eachMillis = 99).isEmpty)
  }

  test("a longer step logs its rate and the time left, each ten seconds") {
    assert(
      said(total = 30, eachMillis = 1000) === Seq(
        "Publishing: 10 of 30 files, 1.0 files a second, 20 seconds left",
        "Publishing: 20 of 30 files, 1.0 files a second, 10 seconds left"
      )
    )
  }

  test("a slow publication is in the log, with its record and its path") {
    val clock  = new ManualClock(0)
    val world  = new RecordExecutorWorld(clock = clock)
    val record = world.record((1 to 4).map(number => world.closed(s"p$number")): _*)
    world.parts.onPublish = _ => clock.advance(6000)
    val lines = LogCapture.of(world.publish(record))
    assert(
      lines === Seq(
        s"Publishing the files of record 4 of ${identity.path}: 2 of 4 files, 0.2 files a second, 12 seconds left"
      )
    )
  }

  test("a slow replacement is in the log") {
    val clock    = new ManualClock(0)
    val finished = new UnreliableFinished
    finished.isUp = true
    finished.onHide = () => clock.advance(6000)
    val world  = new RecordExecutorWorld(clock = clock, finished = finished)
    val record = world.record(world.closed("m")).copy(replace = replaced)
    val lines  = LogCapture.of(world.publish(record))
    assert(lines.length === 1)
    assert(lines.head.startsWith(s"Hiding the replaced files of record 4 of ${identity.path}: 2 of 4 files"))
  }

  private def replaced = Vector.tabulate(4)(number => FinishedPart("b", s"p$number", 4, 1, 0))

  private def said(total: Int, eachMillis: Long): Seq[String] = {
    val clock    = new ManualClock(0)
    val lines    = mutable.Buffer.empty[String]
    val progress = new StepProgress("Publishing", total, clock, lines += _)
    (1 to total).foreach { _ =>
      clock.advance(eachMillis)
      progress.add(1)
    }
    lines.toSeq
  }
}
