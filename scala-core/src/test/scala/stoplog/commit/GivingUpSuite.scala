// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.fault.Faults
import stoplog.part.{PartNaming, Spooled}
import stoplog.plan.{Attempt, TaskPlan}
import stoplog.writing.{PartBuffer, PartEncoder, PartFormat, SpoolWriter, TaskWriter, Unflushed}

/** A task that gives up while other things fail as well. */
class GivingUpSuite extends AnyFunSuite {

  test("aborting closes every part, the lease and the format despite failures") {
    val parts   = new MemoryParts
    val failing = new Failing
    val writer  = new TaskWriter[String](
      TaskPlan(mine, 5, 0, Attempt.First, Vector.empty, firstPart = 1, stride = 1),
      parts,
      new SpoolWriter(new MemorySpoolFiles, Faults.none),
      failing,
      TaskWriter.Rules(Rolls.never, PartNaming("part", ".txt"), 100, _ => (), () => ()),
      TaskWriter.Tools(new ManualClock(1000), Faults.none)
    )
    Seq("a", "b", "c").foreach(writer.write(_, "row"))
    assert(parts.leasesHeld === 1)
    val failure = intercept[IOException](writer.close())
    assert((failure +: failure.getSuppressed.toSeq).map(_.getMessage) === failing.closed.toSeq)
    assert(failing.closed.size === 4 && failing.closed.last === "format")
    assert(parts.calls.filter(_.startsWith("close")) === Seq("close t1", "close t2", "close t3"))
    assert(parts.leasesHeld === 0)
  }

  /** Cannot close anything. */
  private final class Failing extends PartFormat[String] {
    val closed = mutable.ArrayBuffer.empty[String]

    override def begin(name: String, end: PartBuffer): PartEncoder[String] = new PartEncoder[String] {
      override def append(row: String): Unit = end.write(row.getBytes)
      override def sizeBytes: Long           = end.position
      override def pause(): Unflushed        = Unflushed.nothing
      override def finish(): Unit            = ()
      override def close(): Unit             = fail(name)
    }

    override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[String] =
      begin(name, end)

    override def close(): Unit = fail("format")

    private def fail(what: String): Unit = {
      closed += what
      throw new IOException(what)
    }
  }
}
