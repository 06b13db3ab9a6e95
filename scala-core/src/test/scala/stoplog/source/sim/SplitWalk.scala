// SPDX-License-Identifier: Apache-2.0
package stoplog.source.sim

import scala.annotation.tailrec
import scala.collection.mutable

/** Every order in which the requests of some drivers can come, from an empty checkpoint on.
  *
  * A state is the checkpoint and what each driver has been answered; the orders that lead to the same state have the same
  * future, so a state is gone on from once. A driver that dies or sleeps for good is one that is not gone on with: so in
  * each state a driver that starts then, and is alone, has to read everything to the end.
  *
  * @param next    the driver that starts when no other does anything any more
  * @param between where a request of another driver may come before
  */
final class SplitWalk(drivers: Vector[QueryDriver], next: QueryDriver, between: SplitWalk.Between) {
  import SplitWalk._

  private val came    = mutable.HashMap.empty[State, (State, Int)]
  private val left    = mutable.ArrayDeque.empty[State]
  private val checked = mutable.HashSet.empty[Checkpoint]
  private val fresh   = DriverReplay.of(next)
  private var steps   = 0L

  def toTheEnd(): Either[Found, Walked] = {
    val first = State(Checkpoint.empty, drivers.map(DriverReplay.of), overtaken = Set.empty)
    came.update(first, (first, -1))
    left += first
    var found = Option.empty[Found]
    while (found.isEmpty && left.nonEmpty) {
      val state = left.removeLast()
      try {
        if (checked.add(state.checkpoint)) endsWell(state.checkpoint)
        for {
          who     <- drivers.indices
          request <- state.courses(who).next.toOption
        } go(state, who, request)
      } catch { case broken: Broken => found = Some(Found(broken.getMessage, account(state))) }
    }
    found.toLeft(Walked(came.size.toLong, steps, checked.size.toLong))
  }

  private def go(state: State, who: Int, request: Request): Unit = {
    steps += 1
    val (checkpoint, course) = step(state.checkpoint, state.courses(who), request, between)
    // a record overtakes those who have begun; a driver that begins now has not been overtaken
    val overtaken = request match {
      case Request.Start                                                          => state.overtaken - who
      case Request.PutIfAbsent(path, _) if !state.checkpoint.files.contains(path) =>
        state.overtaken ++ drivers.indices.filter(other => other != who && state.courses(other).isBegun)
      case _ => state.overtaken
    }
    val reached = State(checkpoint, state.courses.updated(who, course), overtaken)
    if (!came.contains(reached)) {
      came.update(reached, (state, who))
      mayEnd(course, reached.overtaken(who))
      left += reached
    }
  }

  private def endsWell(begun: Checkpoint): Unit = {
    @tailrec def goOn(checkpoint: Checkpoint, course: DriverReplay): Checkpoint = course.next match {
      case Right(request) =>
        val (after, answered) = step(checkpoint, course, request, between)
        goOn(after, answered)
      case Left(Ending.Finished) => checkpoint
      case Left(other)           => throw new Broken(s"a driver that is alone ends with $other")
    }
    val read = goOn(begun, fresh).read
    if (read.keySet != next.order.indices.map(_.toLong).toSet)
      throw new Broken(s"a driver that is alone ends, and read is $read")
  }

  private def account(state: State): Vector[String] = {
    val (before, who) = came(state)
    if (who < 0) Vector.empty
    else account(before) :+ s"${drivers(who)}: ${before.courses(who).next.fold(_.toString, described)}"
  }
}

object SplitWalk {

  /** @param overtaken the drivers behind which another one has made a record */
  private final case class State(checkpoint: Checkpoint, courses: Vector[DriverReplay], overtaken: Set[Int]) {
    override lazy val hashCode: Int = scala.runtime.ScalaRunTime._hashCode(this)
  }

  /** Where the requests of other drivers may come between. */
  sealed trait Between extends Product with Serializable
  object Between {

    /** Before each request. */
    case object All extends Between

    /** Before each but those that open a record: they come along with the request before them. */
    case object AllButOpens extends Between
  }

  /** One request, what comes along with it, and what the driver makes of the answers. */
  private def step(
      before: Checkpoint,
      course: DriverReplay,
      request: Request,
      between: Between
  ): (Checkpoint, DriverReplay) = {
    @tailrec def goOn(checkpoint: Checkpoint, course: DriverReplay): (Checkpoint, DriverReplay) =
      course.next match {
        case Right(along) if comesAlong(along, between) =>
          val (after, answer) = Answer.to(along, checkpoint)
          goOn(after, course.answered(answer))
        case _ => (checkpoint, course)
      }
    val (after, answer) = Answer.to(request, before)
    goOn(after, course.answered(answer))
  }

  private def comesAlong(request: Request, between: Between) = request match {
    case _: Request.Note => true
    case _: Request.Open => between == Between.AllButOpens
    case _               => false
  }

  /** Who is refused was overtaken. */
  private def mayEnd(course: DriverReplay, isOvertaken: Boolean): Unit = course.next match {
    case Left(Ending.Failed(problem))                  => throw new Broken(s"$course failed: $problem")
    case Left(refused: Ending.Refused) if !isOvertaken =>
      throw new Broken(s"$course was not overtaken, and ends with $refused")
    case _ => ()
  }

  private def described(request: Request): String = request match {
    case Request.PutIfAbsent(path, _) => s"put $path"
    case other                        => other.toString
  }

  /** @param states      that can be reached, each of which was gone on from
    * @param checkpoints from each of which a new driver has read to the end
    */
  final case class Walked(states: Long, steps: Long, checkpoints: Long)

  final case class Found(problem: String, account: Vector[String])
}
