// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.{Callable, CyclicBarrier, ExecutorService}

import scala.util.{Failure, Success, Try}

import stoplog.error.Causes
import stoplog.part.RunId
import stoplog.storage.{FileStore, PartLayout, PartStore, Storage}
import stoplog.thread.Uninterrupted

/** Several users of one storage who act at the same moment. Each has separate stores, like a task.
  *
  * @param pool must have a free thread for each racer
  */
private[qualify] final class Racers(storage: Storage, pool: ExecutorService) {
  private val barrier = new CyclicBarrier(Racers.Count)
  private val stores  = Vector.fill(Racers.Count)(storage.files(Racers.SinkId))
  private val staging = Vector.fill(Racers.Count)(storage.parts(Racers.SinkId, Racers.Layout))

  val indices: Range = 0 until Racers.Count

  /** The run of the racers. */
  val run: RunId = RunId.random()

  /** The files that are not used by a racer. */
  val observer: FileStore = storage.files(Racers.SinkId)

  def files(racer: Int): FileStore = stores(racer)

  def parts(racer: Int): PartStore = staging(racer)

  /** Returns the outcomes of the racers, in their order. The racers start at the same moment. Throws a
    * `LinkageError`: see [[Racers.misfit]].
    */
  def together[A](action: Int => A): Vector[Try[A]] = {
    val outcomes = indices.toVector
      .map { racer =>
        pool.submit((() => {
          barrier.await()
          Try(action(racer))
        }): Callable[Try[A]])
      }
      .map(future => Uninterrupted.get(future).fold(Failure(_), identity))
    outcomes.collectFirst(Function.unlift(_.failed.toOption.flatMap(Racers.misfit))).foreach(throw _)
    outcomes
  }

  /** Returns the results of the racers. Error: the first failure of a racer. */
  def all[A](action: Int => A): Vector[A] = together(action).map(_.get)
}

private[qualify] object Racers {
  final val Count = 8

  val SinkId: String = "main"

  private val Layout = PartLayout.Staging(SinkId)

  /** Returns different bytes of the same length for each racer and round. */
  def content(round: Int, racer: Int): Array[Byte] =
    s"$round by $racer;".padTo(16, ' ').repeat(64).getBytes(US_ASCII)

  /** Returns the first failure, if no racer succeeded. */
  def failure(outcomes: Vector[Try[Any]]): Option[String] =
    Option.when(outcomes.forall(_.isFailure)) {
      outcomes.collectFirst { case Failure(e) => s"no request succeeded: ${reason(e)}" }.getOrElse("")
    }

  /** Returns the racers with this result. */
  def withResult[A](outcomes: Vector[Try[A]], result: A): Vector[Int] =
    outcomes.indices.filter(racer => outcomes(racer) == Success(result)).toVector

  /** Returns the error of the Java machine if jars of different versions are the cause. Such an error says
    * nothing about the storage.
    */
  def misfit(e: Throwable): Option[LinkageError] =
    Causes.of(e).collectFirst { case error: LinkageError => error }

  /** Returns the message of an error without the name of the condition, and without a period at the end. */
  def reason(e: Throwable): String =
    String
      .valueOf(e.getMessage)
      .replaceFirst("^\\[\\w+\\] ", "")
      .replaceFirst(" SQLSTATE: \\w+(?s:.*)$", "")
      .trim
      .stripSuffix(".")
}
