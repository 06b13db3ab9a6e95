// SPDX-License-Identifier: Apache-2.0
package stoplog.twophase

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples
import stoplog.error.{Errors, StoplogException}
import stoplog.part.Pending
import stoplog.plan.{Attempt, TaskResult}
import stoplog.sink._
import stoplog.spark.LogCapture

/** A batch job of a sink that commits in two phases. */
class TwoPhaseJobSuite extends AnyFunSuite {
  import TwoPhaseJobSuite._

  test("a job with visible rows succeeds even if its committer cannot be closed") {
    val target = new Target(closing = throw new IOException("the connection is gone"))
    target.commit("a", "b")
    assert(target.visible === Set("a", "b"))
  }

  test("a partly failing job commits the remaining rows and warns against a rerun") {
    for (names <- Seq(Seq("lost", "a"), Seq("a", "lost", "b", "c"))) {
      val target = new Target()
      val failed = intercept[StoplogException](target.commit(names: _*))
      assert(target.visible === names.toSet - "lost")
      assert(failed.getCondition === "STOPLOG_BATCH_PARTLY")
      assert(failed.getMessage.contains("memory") && !failed.getMessage.contains("onLostPart"))
    }
  }

  test("a failed job aborts all prepared transactions despite a failure, and closes its client") {
    for (names <- Seq(Seq("stuck", "a"), Seq("a", "stuck", "b", "c"))) {
      val target = new Target(closing = throw new IOException("the connection is gone"))
      val said   = LogCapture.of(target.abort(names: _*))
      assert(target.aborted === names.toSet - "stuck")
      assert(target.closed === 1)
      assert(said.exists(_.contains("memory")))
    }
  }

  test("a job that started to commit aborts nothing and closes its client") {
    val target = new Target()
    intercept[StoplogException](target.commitAndAbort("lost", "a"))
    assert(target.aborted === Set.empty)
    assert(target.closed === 1)
  }

  test("a job that fails before its commit reports the target's error") {
    val target = new Target(refuses = true)
    assert(Samples.condition(target.commit("a")) === "STOPLOG_STORE_WRITE")
    assert(target.visible.isEmpty)
  }
}

private object TwoPhaseJobSuite {

  final class Target(closing: => Unit = (), refuses: Boolean = false) extends TwoPhaseSink[String] {
    @volatile var visible = Set.empty[String]
    @volatile var aborted = Set.empty[String]
    @volatile var closed  = 0

    def commit(names: String*): Unit = job.commit(results(names))

    /** As Spark does with a job some of whose tasks have failed. */
    def abort(names: String*): Unit = job.abort(results(names))

    /** As Spark does with a job whose commit fails. */
    def commitAndAbort(names: String*): Unit = {
      val one = job
      try one.commit(results(names))
      finally one.abort(results(names))
    }

    private def job = new TwoPhaseEngineSink.TwoPhaseJob(this, "main")

    private def results(names: Seq[String]) =
      Seq(TaskResult(0, Attempt.First, names.map(named).toVector, Vector.empty, nextPart = 0))

    private def named(name: String): Pending = Samples.done(name, token = name)

    override def target: String                                   = "memory"
    override def writer(task: WriterTask): TwoPhaseWriter[String] = throw new UnsupportedOperationException

    override def committer(): TwoPhaseCommitter = new TwoPhaseCommitter {
      override def refuseLost(tokens: Seq[String]): Unit =
        if (refuses) throw Errors.storeWrite("memory", "503", new IOException("503"))

      override def commit(prepared: Prepared): CommitOutcome =
        if (prepared.token == "lost") CommitOutcome.Lost
        else
          Target.this.synchronized {
            visible += prepared.token
            CommitOutcome.Committed
          }

      override def staged(): Vector[Staged] = Vector.empty

      override def abort(token: String): Unit =
        if (token == "stuck") throw new IOException("503")
        else Target.this.synchronized(aborted += token)

      override def close(): Unit = {
        closed += 1
        closing
      }
    }
  }
}
