// SPDX-License-Identifier: Apache-2.0
package stoplog.source.sim

import scala.collection.mutable

import stoplog.error.StoplogException

/** What one driver has been answered so far. That decides all that it does next, so a course is asked once.
  *
  * The driver itself runs anew from its start for each answer, until it wants more answers than there are: so the code
  * under test needs no thread, and any course can be gone on with at any time.
  */
final class DriverReplay private (driver: QueryDriver, answers: Vector[Answer]) {
  private val following = mutable.HashMap.empty[Answer, DriverReplay]

  /** What the driver asks next, or how it has ended. */
  lazy val next: Either[Ending, Request] = {
    val left = answers.iterator
    try {
      driver.run(request => if (left.hasNext) left.next() else throw new DriverReplay.Unanswered(request))
      Left(Ending.Finished)
    } catch {
      case unanswered: DriverReplay.Unanswered => Right(unanswered.request)
      case refused: StoplogException if DriverReplay.Refusals(refused.getCondition) =>
        Left(Ending.Refused(refused.getCondition))
      case e: Exception => Left(Ending.Failed(e))
    }
  }

  def answered(answer: Answer): DriverReplay =
    following.getOrElseUpdate(answer, new DriverReplay(driver, answers :+ answer))

  def isBegun: Boolean = answers.nonEmpty

  override def toString: String = driver.toString
}

object DriverReplay {
  def of(driver: QueryDriver): DriverReplay = new DriverReplay(driver, Vector.empty)

  private val Refusals = Set("STOPLOG_FENCED", "STOPLOG_SOURCE_STATE_LOST")

  /** An error of the machine, so that no handler of the product takes it for a failure. */
  private final class Unanswered(val request: Request) extends VirtualMachineError {
    override def fillInStackTrace(): Throwable = this
  }
}

/** How a driver ended. */
sealed trait Ending extends Product with Serializable
object Ending {
  case object Finished                        extends Ending
  final case class Refused(condition: String) extends Ending
  final case class Failed(problem: Exception) extends Ending
}
