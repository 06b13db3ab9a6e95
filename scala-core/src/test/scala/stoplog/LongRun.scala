// SPDX-License-Identifier: Apache-2.0
package stoplog

import org.scalatest.{Args, Status, SucceededStatus, Suite, SuiteMixin, Tag}

/** A suite that runs in a long run alone (`make test-long`). docs/correctness/test-tiers.md says what an ordinary run has instead.
  *
  * The last of the traits of a suite, so that nothing of the suite begins.
  */
trait LongRun extends SuiteMixin { this: Suite =>

  abstract override def run(testName: Option[String], args: Args): Status =
    if (LongRun.isOn) super.run(testName, args) else SucceededStatus
}

object LongRun {

  /** Whether `STOPLOG_LONG` is set in the environment. */
  def isOn: Boolean = sys.env.get("STOPLOG_LONG").exists(_.nonEmpty)

  /** Marks a test that only runs in a long run: `project/SparkTests.scala` excludes the tag from other runs. */
  object Only extends Tag("stoplog.LongRun")

  /** Returns the tags of one of several tests of the same property: without `isSample`, the test is long. */
  def unless(isSample: Boolean): Seq[Tag] = if (isSample) Nil else Seq(Only)
}
