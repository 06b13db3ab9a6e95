// SPDX-License-Identifier: Apache-2.0
package users

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.announce._
import stoplog.bucket._
import stoplog.fault.{Faults, Step}
import stoplog.rolling._
import stoplog.sink._

/** Buckets, when parts are closed, and sinks that commit in two phases. Nothing here does anything: a user who can compile it can write one. */
object OwnPolicies {
  class OwnBucketAssigner extends BucketAssigner {
    override def bucket(row: InternalRow, context: BucketContext): String = ???
  }

  class OwnBucketContext extends BucketContext {
    override def processingTimeMillis: Long = ???
  }

  class OwnAnnouncementTarget extends AnnouncementTarget {
    override def deliver(announcements: Vector[Announcement]): Delivery = ???
  }

  class OwnPositionedTarget extends OwnAnnouncementTarget with PositionedTarget {
    override def position(path: String, logName: String): Option[AnnouncementId] = ???
  }

  class OwnTargetFactory extends TargetFactory {
    override def kind: String = ???
    override def settings: Set[String] = ???
    override def create(name: String, settings: java.util.Map[String, String]): AnnouncementTarget = ???
  }

  class OwnTimedBuckets extends TimedBuckets {
    override def bucketEndMillis(bucket: String): Option[Long] = ???
  }

  class OwnFaults extends Faults {
    override def at(step: Step): Unit = ???
  }

  class OwnPartStats extends PartStats {
    override def bucket: String = ???
    override def sizeBytes: Long = ???
    override def records: Long = ???
    override def openedAtMillis: Long = ???
    override def lastWrittenAtMillis: Long = ???
  }

  class OwnRollingPolicy extends RollingPolicy {
    override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] = ???
    override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] = ???
    override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = ???
  }

  class OwnTwoPhaseCommitter extends TwoPhaseCommitter {
    override def commit(prepared: Prepared): CommitOutcome = ???
    override def staged(): Vector[Staged] = ???
    override def abort(token: String): Unit = ???
    override def close(): Unit = ???
  }

  class OwnTwoPhaseSink[R] extends TwoPhaseSink[R] {
    override def target: String = ???
    override def writer(task: WriterTask): TwoPhaseWriter[R] = ???
    override def committer(): TwoPhaseCommitter = ???
  }

  class OwnTwoPhaseWriter[R] extends TwoPhaseWriter[R] {
    override def write(row: R): Unit = ???
    override def prepare(): Vector[Prepared] = ???
    override def abort(): Unit = ???
    override def close(): Unit = ???
  }
}
