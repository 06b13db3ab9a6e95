// SPDX-License-Identifier: Apache-2.0
package stoplog.python.sink

import java.util.concurrent.{ConcurrentHashMap, ExecutionException, TimeUnit}
import java.util.concurrent.atomic.LongAdder
import java.util.concurrent.locks.ReentrantLock

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode

import stoplog.error.{Log, StoplogException}
import stoplog.python.{OwnPython, SharedPython}
import stoplog.sink._
import stoplog.thread.StopSignal

/** The committer of user code, in the driver's Python process. Thread-safe.
  *
  * @param stop  ends waiting calls if the query is stopped
  * @param query the id of the query, whose output Python distinguishes from the output of other queries
  */
private[sink] final class PythonCommitter(user: OwnPython, stop: StopSignal, query: Option[String])
    extends TwoPhaseCommitter {
  import PythonCommitter._

  private val turn    = new ReentrantLock
  private val waiting = mutable.Queue.empty[Commit]
  private val metrics = new ConcurrentHashMap[String, LongAdder]
  private var leaving = SharedPython.Leaving.Keep: SharedPython.Leaving

  user.hold()

  override private[stoplog] def beforeTasks(): Unit = synchronized {
    leaving = SharedPython.Leaving.End
    user.warm()
  }

  override private[stoplog] def counts: Seq[(String, Long)] =
    metrics.asScala.toSeq.map { case (name, sum) => name -> sum.sum() }.sortBy(_._1)

  /** Python answers one call at a time, so the commits of threads that wait meanwhile are one call.
    *
    * Errors: `STOPLOG_PYTHON_FAILED`, `STOPLOG_PYTHON_TIMEOUT`, `STOPLOG_PYTHON_ENDED`. If the query is
    * stopped: `ExecutionException`, which Spark knows as the effect of a stop.
    */
  override def commit(prepared: Prepared): CommitOutcome = StopSignal.during(stop) {
    val commit = new Commit(prepared)
    waiting.synchronized(waiting += commit): Unit
    try {
      stop.waitUntil(Long.MaxValue)(turn.tryLock(_, TimeUnit.MILLISECONDS)): Unit
      try if (commit.outcome.isEmpty) commitAll(waiting.synchronized(waiting.dequeueAll(_ => true).toVector))
      finally turn.unlock()
    } catch {
      case e: InterruptedException => throw stopped(prepared, e)
    }
    commit.outcome.get match {
      case Success(outcome)                 => outcome
      case Failure(e: InterruptedException) => throw stopped(prepared, e)
      case Failure(e)                       => throw e
    }
  }

  /** Error: `STOPLOG_PYTHON_FAILED` if the user's `staged` no longer finds prepared output: another process
    * has undone the output, and a record could never be carried out (P-57).
    */
  override def refuseLost(tokens: Seq[String]): Unit = if (tokens.nonEmpty) StopSignal.during(stop) {
    val parsed = tokens.map(PythonToken.parse)
    ask("refuse_lost", PythonToken.where(parsed))(parsed.map(_.data).asJava): Unit
  }

  override def staged(): Vector[Staged] = StopSignal.during(stop) {
    ask("staged", where = "")(query.toSeq: _*).elements.asScala
      .map(s => Staged(s.get(0).asText, s.get(1).asLong))
      .toVector
  }

  /** The user's own token, without what the log adds: after an upgrade of user code, all versions match. */
  override def stagedOf(token: String): Set[String] = Set(PythonToken.parse(token).data)

  /** @param token the token of [[staged]], or of the log
    */
  override def abort(token: String): Unit = StopSignal.during(stop) {
    val known = PythonToken.find(token)
    ask("abort", PythonToken.where(known.toSeq))(known.fold(token)(_.data), known.fold(0)(_.version)): Unit
  }

  override def close(): Unit = synchronized {
    Log.tolerating("User code in Python could not be closed")(user.end(leaving))
  }

  private def commitAll(commits: Vector[Commit]): Unit = {
    val tokens   = commits.map(commit => PythonToken.parse(commit.prepared.token))
    val outcomes =
      try Success(outcomesOf(commits.map(_.prepared), tokens))
      catch { case e @ (NonFatal(_) | _: InterruptedException) => Failure(e) }
    for (((commit, token), at) <- commits.zip(tokens).zipWithIndex) {
      commit.outcome = Some(outcomes.map(_(at)))
      if (commit.outcome.contains(Success(CommitOutcome.Committed)))
        for ((name, count) <- token.metrics) metrics.computeIfAbsent(name, _ => new LongAdder).add(count)
    }
  }

  private def outcomesOf(prepared: Vector[Prepared], tokens: Vector[PythonToken]): Vector[CommitOutcome] = {
    val parts = prepared.zip(tokens).map { case (of, token) =>
      Seq[Any](of.name, token.version, token.data, of.rows, of.bytes).asJava
    }
    val words = ask("commit", PythonToken.where(tokens))(parts.asJava)
    words.elements.asScala.map(word => Outcomes(word.asText)).toVector
  }

  /** Asks again, in another process, if the process has ended: all calls may be repeated. */
  private def ask(method: String, where: String)(arguments: Any*): JsonNode =
    try user.call(method, where)(arguments: _*)
    catch {
      case e: StoplogException if e.getCondition == "STOPLOG_PYTHON_ENDED" =>
        Log.warn("The driver's Python process has ended, and its call is repeated in another process", e)
        user.call(method, where)(arguments: _*)
    }

  private def stopped(prepared: Prepared, e: InterruptedException): ExecutionException =
    new ExecutionException(
      s"The query was stopped before ${prepared.name} was committed. The next start commits it.",
      e
    )
}

private object PythonCommitter {

  /** A commit that waits for its turn. The outcome is written and read with the turn held, or after it. */
  private final case class Commit(prepared: Prepared) {
    @volatile var outcome = Option.empty[Try[CommitOutcome]]
  }

  private val Outcomes: Map[String, CommitOutcome] = Map(
    "committed"         -> CommitOutcome.Committed,
    "already committed" -> CommitOutcome.AlreadyCommitted,
    "lost"              -> CommitOutcome.Lost
  )
}
