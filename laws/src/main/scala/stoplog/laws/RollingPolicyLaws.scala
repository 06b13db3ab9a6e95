// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.rolling.{PartStats, RollReason, RollingPolicy}

/** The laws of every rolling policy: the policy is called on many machines, again after failures, and by a
  * clock.
  *
  * {{{
  * class MyPolicySuite extends RollingPolicyLaws { … }
  * }}}
  */
abstract class RollingPolicyLaws extends AnyFunSuite {

  /** Returns the policy as a user creates the policy on the driver. */
  protected def policy: RollingPolicy

  /** The maximum time for which a part without new rows is open; `None` if the policy never closes such a
    * part.
    */
  protected def longestOpenMillis: Option[Long]

  private val Questions = 2000
  private val Start     = 1767225600000L // in 2026

  test("results depend on the arguments only, not on earlier calls or the instance") {
    val random    = new Random(1)
    val questions = Vector.fill(Questions)(question(random))
    val first     = questions.map(answers(policy, _))
    val another   = Serialized.copyOf(policy)
    val order     = random.shuffle(questions.indices.toVector)
    order.foreach(at => assert(answers(another, questions(at)) === first(at)))
    order.foreach(at => assert(answers(policy, questions(at)) === first(at)))
  }

  test("roll reasons are valid labels and survive the log") {
    val random  = new Random(2)
    val reasons = Vector.fill(Questions)(answers(policy, question(random))).flatten.flatten.distinct
    for (reason <- reasons) {
      assert(reason.word.matches("[A-Za-z][A-Za-z0-9_-]*"), reason)
      assert(RollReason.fromWord(reason.word) === reason)
    }
  }

  test("the policy retains no reference to its view") {
    val view = new RollingPolicyLaws.View()
    val kept = for (records <- 1L to 50L) yield {
      view.records = records
      view.sizeBytes = records << 20
      val now  = Start + records * 60000
      val here = answers(policy, (view, now))
      here -> answers(policy, (view.copied, now))
    }
    for ((reused, own) <- kept) assert(reused === own)
  }

  test("the clock closes an idle part, and the part stays due") {
    for {
      longest <- longestOpenMillis
      bytes   <- Seq(0L, 1L, 1L << 20)
    } {
      val part = new RollingPolicyLaws.View()
      part.records = 1
      part.sizeBytes = bytes
      part.openedAtMillis = Start
      part.lastWrittenAtMillis = Start
      for (later <- Seq(0L, 1L, 1000L, 86400000L))
        assert(policy.onTime(part, Start + longest + later).isDefined, s"$later ms later")
    }
  }

  test("the clock does not close a part that was just opened") {
    val part = new RollingPolicyLaws.View()
    part.records = 1
    part.openedAtMillis = Start + 1
    part.lastWrittenAtMillis = Start + 1
    assert(policy.onTime(part, Start + 1) === None)
  }

  private def answers(of: RollingPolicy, question: (PartStats, Long)): Vector[Option[RollReason]] = {
    val (part, now) = question
    Vector(
      of.beforeRow(part, now),
      of.onEventTime(part, part.firstEventTimeMillis.getOrElse(0L) + now % 3600000),
      of.onTime(part, now),
      of.onEpochEnd(part, now)
    )
  }

  private def question(random: Random): (PartStats, Long) = {
    val part = new RollingPolicyLaws.View()
    part.bucket = random.alphanumeric.take(3).mkString
    part.records = 1L + random.nextInt(1000000)
    part.sizeBytes = (random.nextLong() & Long.MaxValue) >> random.nextInt(63)
    part.openedAtMillis = Start + random.nextInt(86400000)
    part.lastWrittenAtMillis = part.openedAtMillis + random.nextInt(3600000)
    part.eventTime = Option.when(random.nextBoolean())(part.openedAtMillis - random.nextInt(86400000))
    (part, part.lastWrittenAtMillis + random.nextInt(3600000))
  }
}

private object RollingPolicyLaws {

  /** A mutable view that is shared by many parts, like the sink's own view. */
  private final class View extends PartStats {
    var bucket: String            = ""
    var sizeBytes: Long           = 0
    var records: Long             = 1
    var openedAtMillis: Long      = 0
    var lastWrittenAtMillis: Long = 0
    var eventTime: Option[Long]   = None

    override def firstEventTimeMillis: Option[Long] = eventTime

    def copied: PartStats = {
      val other = new View()
      other.bucket = bucket
      other.sizeBytes = sizeBytes
      other.records = records
      other.openedAtMillis = openedAtMillis
      other.lastWrittenAtMillis = lastWrittenAtMillis
      other.eventTime = eventTime
      other
    }
  }
}
