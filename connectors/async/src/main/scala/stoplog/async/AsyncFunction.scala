// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import scala.concurrent.{ExecutionContext, Future}
import scala.util.{Success, Try}

/** A call of another system for each row.
  *
  * It is sent to every task by Java serialization; what cannot be sent, such as a client session, is made in [[open]].
  * All methods are called by the task's own thread, which must not be blocked: [[call]] starts something and returns.
  * Where the future runs is up to the function.
  *
  * {{{
  * class Lookup(url: String) extends AsyncFunction[Click, Located] {
  *   @transient private lazy val client = HttpClient.newHttpClient()
  *   override def call(click: Click): Future[Seq[Located]] =
  *     client.sendAsync(request(url, click), ofString).asScala.map(answer => Seq(located(click, answer)))
  * }
  * }}}
  */
trait AsyncFunction[A, B] extends Serializable {

  /** Called once in each task before any other method. */
  def open(): Unit = ()

  /** Starts the call for a row.
    *
    * @return
    *   the rows of result: none, one or many. An exception, thrown or in the future, is a failed attempt.
    */
  def call(row: A): Future[Seq[B]]

  /** The answer for a row whose last attempt timed out; none (the default) makes it a failure like others. */
  def timedOut(row: A): Option[Seq[B]] = None

  /** Called once at the end of the task, however it ends. */
  def close(): Unit = ()
}

object AsyncFunction {

  /** A function without a state of its own, with one row of result for each row. */
  def of[A, B](call: A => Future[B]): AsyncFunction[A, B] = call(_).map(Seq(_))(ExecutionContext.parasitic)
}

/** A call of another system for several rows at once; otherwise like [[AsyncFunction]]. */
trait AsyncBatchFunction[A, B] extends Serializable {

  def open(): Unit = ()

  /** Starts the call for some rows, at least one.
    *
    * @return
    *   as many answers as rows, in their order. A row whose answer is a failure is asked for again, where the settings
    *   say so, together with others of this call that failed.
    */
  def call(rows: Seq[A]): Future[Seq[Try[Seq[B]]]]

  def timedOut(row: A): Option[Seq[B]] = None

  def close(): Unit = ()
}

private[async] object AsyncBatchFunction {

  def of[A, B](single: AsyncFunction[A, B]): AsyncBatchFunction[A, B] = new OneByOne(single)

  private final class OneByOne[A, B](single: AsyncFunction[A, B]) extends AsyncBatchFunction[A, B] {

    override def open(): Unit = single.open()

    override def call(rows: Seq[A]): Future[Seq[Try[Seq[B]]]] =
      single.call(rows.head).map(answer => Seq(Success(answer)))(ExecutionContext.parasitic)

    override def timedOut(row: A): Option[Seq[B]] = single.timedOut(row)

    override def close(): Unit = single.close()
  }
}
