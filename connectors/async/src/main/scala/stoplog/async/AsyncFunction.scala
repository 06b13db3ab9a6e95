// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import scala.concurrent.{ExecutionContext, Future}
import scala.util.{Success, Try}

/** A call to another system for each row.
  *
  * The function is sent to every task by Java serialization. Members that are not serializable, such as a
  * client session, are created in [[open]]. The task's own thread calls all methods and must not be blocked:
  * [[call]] starts an operation and returns immediately. The function chooses where the future runs.
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

  /** Called once in each task, before any other method. */
  def open(): Unit = ()

  /** Starts the call for a row.
    *
    * @return the result rows: none, one or many. An exception, thrown or in the future, is a failed attempt.
    */
  def call(row: A): Future[Seq[B]]

  /** Returns the result rows for a row whose last attempt timed out. `None`, the default, reports a failure.
    */
  def timedOut(row: A): Option[Seq[B]] = None

  /** Called once at the end of the task, whether the task succeeds or fails. */
  def close(): Unit = ()
}

object AsyncFunction {

  /** Creates a stateless function with a single result row for each row. */
  def of[A, B](call: A => Future[B]): AsyncFunction[A, B] = call(_).map(Seq(_))(ExecutionContext.parasitic)
}

/** A call to another system for several rows at once; otherwise like [[AsyncFunction]]. */
trait AsyncBatchFunction[A, B] extends Serializable {

  def open(): Unit = ()

  /** Starts the call for a group of at least one row.
    *
    * @return n results for n rows, in the order of the rows. If a row's result is a failure, the settings
    *   decide whether the row is retried. A retry combines all failed rows of this call
    */
  def call(rows: Seq[A]): Future[Seq[Try[Seq[B]]]]

  def timedOut(row: A): Option[Seq[B]] = None

  def close(): Unit = ()
}

private[async] object AsyncBatchFunction {

  def of[A, B](single: AsyncFunction[A, B]): AsyncBatchFunction[A, B] = new SingleRowBatches(single)

  private final class SingleRowBatches[A, B](single: AsyncFunction[A, B]) extends AsyncBatchFunction[A, B] {

    override def open(): Unit = single.open()

    override def call(rows: Seq[A]): Future[Seq[Try[Seq[B]]]] =
      single.call(rows.head).map(answer => Seq(Success(answer)))(ExecutionContext.parasitic)

    override def timedOut(row: A): Option[Seq[B]] = single.timedOut(row)

    override def close(): Unit = single.close()
  }
}
