// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import java.util.concurrent.TimeUnit

import scala.concurrent.{ExecutionContext, Future}
import scala.util.{Failure, Success, Try}
import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable

/** Makes calls, retries failed calls, and reports the outcomes on the loop.
  *
  * @param timeoutMillis the timeout of an attempt, excluding the wait for the rate limit
  * @param random returns numbers from 0 to 1
  */
private[async] final class Caller[A, B](
    function: AsyncBatchFunction[A, B],
    retry: Retry,
    timeoutMillis: Option[Long],
    pace: Option[RateLimit],
    loop: EventLoop,
    random: () => Double
) {

  /** Starts the calls for some rows.
    *
    * @param settled receives the outcomes of all rows, in the order of the rows
    */
  def start(rows: Seq[A])(settled: Seq[Outcome[B]] => Unit): Unit = {
    val outcomes = Array.fill[Option[Outcome[B]]](rows.size)(None)
    tryAgain(rows.indices, 1)

    def tryAgain(pending: Seq[Int], attempt: Int): Unit =
      attemptInTurn(pending.map(rows)) { answers =>
        val waits = pending.zip(answers).flatMap { case (number, answer) =>
          val (outcome, wait) = judged(rows(number), answer, attempt)
          if (wait.isEmpty) outcomes(number) = Some(outcome)
          wait.map(number -> _)
        }
        if (waits.isEmpty) settled(outcomes.toSeq.flatten)
        else {
          loop.after((waits.map(_._2).max * 1e6).toLong)(() => tryAgain(waits.map(_._1), attempt + 1))
          ()
        }
      }
  }

  private def attemptInTurn(rows: Seq[A])(ended: Seq[Try[Seq[B]]] => Unit): Unit =
    pace.fold(attempt(rows)(ended))(_.turn(() => attempt(rows)(ended)))

  private def attempt(rows: Seq[A])(ended: Seq[Try[Seq[B]]] => Unit): Unit = {
    val call  = started(rows)
    var first = true // only accessed on the loop
    val timer = timeoutMillis.map { millis =>
      loop.after(TimeUnit.MILLISECONDS.toNanos(millis)) { () =>
        first = false
        ended(rows.map(_ => Failure(new CallTimeout(millis))))
      }
    }
    call.onComplete { result =>
      loop.post { () =>
        if (first) {
          timer.foreach(_.cancel())
          ended(answers(rows.size, result))
        }
      }
    }(ExecutionContext.parasitic)
  }

  private def started(rows: Seq[A]): Future[Seq[Try[Seq[B]]]] =
    try function.call(rows)
    catch { case NonFatal(thrown) => Future.failed(thrown) }

  private def answers(requested: Int, result: Try[Seq[Try[Seq[B]]]]): Seq[Try[Seq[B]]] = result match {
    case Success(answers) if answers.size == requested => answers
    case Success(answers) => Seq.fill(requested)(Failure(AsyncErrors.answer(requested, answers.size)))
    case Failure(error)   => Seq.fill(requested)(Failure(error))
  }

  private def judged(row: A, answer: Try[Seq[B]], attempt: Int): (Outcome[B], Option[Double]) = answer match {
    case Success(rows)  => (Outcome.Done(rows), None)
    case Failure(error) =>
      val wait = if (Caller.isWrongAnswer(error)) None else retry.waitMillis(attempt, error, random())
      (if (wait.isEmpty) inTime(row, error, attempt) else Outcome.Failed(error, attempt), wait)
  }

  private def inTime(row: A, error: Throwable, attempt: Int): Outcome[B] = error match {
    case _: CallTimeout =>
      try function.timedOut(row).fold[Outcome[B]](Outcome.Failed(error, attempt))(Outcome.Done(_))
      catch { case NonFatal(thrown) => Outcome.Failed(thrown, attempt) }
    case _ => Outcome.Failed(error, attempt)
  }
}

private[async] object Caller {

  /** Whether another attempt cannot help, because the result was wrong rather than late. */
  def isWrongAnswer(error: Throwable): Boolean = error match {
    case named: SparkThrowable => named.getCondition == "STOPLOG_ASYNC_ANSWER"
    case _                     => false
  }
}

/** The final outcome of a row's calls. */
private[async] sealed trait Outcome[+B]

private[async] object Outcome {

  final case class Done[+B](rows: Seq[B]) extends Outcome[B]

  final case class Failed(error: Throwable, attempts: Int) extends Outcome[Nothing]
}

/** The reason why a row has no result.
  *
  * @param reason `timeout`, `answer` (a batch returned too many or too few results) or `error`
  * @param errorType the class of the exception
  * @param message the message of the exception
  * @param attempts the number of attempts
  */
final case class CallError(reason: String, errorType: String, message: String, attempts: Int)

private[async] object CallErrors {

  def of(failed: Outcome.Failed): CallError = {
    val reason = failed.error match {
      case _: CallTimeout               => "timeout"
      case e if Caller.isWrongAnswer(e) => "answer"
      case _                            => "error"
    }
    val message = Option(failed.error.getMessage).getOrElse("")
    CallError(reason, failed.error.getClass.getName, message, failed.attempts)
  }
}
