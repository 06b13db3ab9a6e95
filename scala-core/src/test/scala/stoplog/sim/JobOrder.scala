// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable

/** What the batch jobs of a world have reported, and whether readers see what one order of these jobs leaves.
  *
  * A job that has reported success is in the order, at a place between its begin and its end. A job that died, or whose
  * outcome nobody knows, may be in the order, as a whole. A job that has reported a failure before its decision is not.
  */
final class JobOrder {
  import JobOrder._

  private val jobs   = mutable.LinkedHashMap.empty[String, Job]
  private val before = mutable.Set.empty[(String, String)]

  def fingerprint: Long = Fingerprint.of((jobs.toMap, before))

  def begun(name: String, effect: Effect, rows: Vector[String]): Unit = {
    jobs.valuesIterator.filter(_.outcome == Outcome.Succeeded).foreach(other => before += other.name -> name)
    jobs.update(name, Job(name, effect, rows, Outcome.Unknown))
  }

  def ended(name: String, outcome: Outcome): Unit =
    jobs.updateWith(name)(_.map(_.copy(outcome = outcome))): Unit

  /** Error: a [[Violation]] unless the rows are what the jobs leave, in one order.
    *
    * @param at    what was there before all of them
    * @param rows  what readers see
    */
  def check(at: Vector[String], rows: Vector[String]): Unit = {
    val seen    = rows.sorted
    val certain = jobs.values.filter(_.outcome == Outcome.Succeeded).toVector
    val open    = jobs.values.filter(_.outcome == Outcome.Unknown).toVector
    val orders  = for {
      some  <- open.toSet.subsets().toVector
      order <- (certain ++ some).permutations
      if isPossible(order)
    } yield order
    if (!orders.exists(_.foldLeft(at)((there, job) => job.after(there)).sorted == seen))
      throw new Violation(s"$NoOrder: ${seen.mkString(", ")}, after ${jobs.values.mkString(", ")}")
  }

  private def isPossible(order: Vector[Job]): Boolean =
    order.zipWithIndex.forall { case (job, n) =>
      order.drop(n + 1).forall(later => !before(later.name -> job.name))
    }
}

object JobOrder {

  /** Begins what is said of rows that no order of the jobs leaves. */
  val NoOrder: String = "no order of the batch jobs leaves"

  /** What a job does to the rows that are there. */
  sealed trait Effect extends Product with Serializable
  object Effect {
    case object Adds     extends Effect
    case object Replaces extends Effect

    /** Replaces the rows of one bucket by rows of this bucket. */
    case object ReplacesPartition extends Effect {
      val Bucket: String = "b"

      /** The rows of other buckets. */
      def kept(there: Vector[String]): Vector[String] = there.filterNot(_.startsWith(s"$Bucket:"))
    }
  }

  sealed trait Outcome extends Product with Serializable
  object Outcome {
    case object Succeeded extends Outcome

    /** It has decided nothing. */
    case object Failed extends Outcome

    /** It runs, has died, or has said that nobody knows. */
    case object Unknown extends Outcome
  }

  final case class Job(name: String, effect: Effect, rows: Vector[String], outcome: Outcome) {
    def after(there: Vector[String]): Vector[String] = effect match {
      case Effect.Adds              => there ++ rows
      case Effect.Replaces          => rows
      case Effect.ReplacesPartition => Effect.ReplacesPartition.kept(there) ++ rows
    }
  }
}
