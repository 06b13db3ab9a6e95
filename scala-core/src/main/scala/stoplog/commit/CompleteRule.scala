// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

/** The rule by which a bucket counts as complete: no more rows of it are expected. Later rows are late rows. */
sealed abstract class CompleteRule(val word: String) extends Product with Serializable {

  /** Whether the rule has anything to say of this bucket, ever. */
  def covers(bucket: String): Boolean

  /** The end of the bucket's time, if the rule goes by it. */
  def endMillis(bucket: String): Option[Long]

  /** Whether it is complete now, in the eyes of the rule.
    *
    * @param lastWrittenAtMillis when the newest row of the bucket was written
    * @param watermarkMillis     that of the query; `None` while it is not known
    */
  def isReached(
      bucket: String,
      lastWrittenAtMillis: Long,
      nowMillis: Long,
      watermarkMillis: Option[Long]
  ): Boolean
}

object CompleteRule {

  /** Says when a bucket's time ends, in milliseconds since 1970-01-01T00:00:00Z; `None` for one that has no time. */
  type Ends = String => Option[Long]

  /** No bucket ever is. */
  case object Never extends CompleteRule("none") {
    override def covers(bucket: String): Boolean                                               = false
    override def endMillis(bucket: String): Option[Long]                                       = None
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean = false
  }

  /** No bucket is complete for a run with this rule; the given ones wait for a run that knows their completion. */
  final case class Later(waiting: Set[String]) extends CompleteRule("later") {
    override def covers(bucket: String): Boolean         = waiting(bucket)
    override def endMillis(bucket: String): Option[Long] = None
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean = false
  }

  /** So long after the bucket's end, as the rows' own times tell it. */
  final case class ByWatermark(delayMillis: Long, ends: Ends) extends CompleteRule("watermark") {
    override def covers(bucket: String): Boolean         = ends(bucket).isDefined
    override def endMillis(bucket: String): Option[Long] = ends(bucket)
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      mark.exists(time => ends(bucket).exists(_ + delayMillis <= time))
  }

  /** So long after the bucket's end, as the driver's clock tells it. */
  final case class ByClock(delayMillis: Long, ends: Ends) extends CompleteRule("processingTime") {
    override def covers(bucket: String): Boolean         = ends(bucket).isDefined
    override def endMillis(bucket: String): Option[Long] = ends(bucket)
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      ends(bucket).exists(_ + delayMillis <= now)
  }

  /** So long after its last row. */
  final case class ByIdleness(delayMillis: Long) extends CompleteRule("idle") {
    override def covers(bucket: String): Boolean                                               = true
    override def endMillis(bucket: String): Option[Long]                                       = None
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      last + delayMillis <= now
  }

  /** All rules but the buckets that are not for readers. */
  final case class Except(rule: CompleteRule, hidden: String => Boolean) extends CompleteRule(rule.word) {
    override def covers(bucket: String): Boolean         = !hidden(bucket) && rule.covers(bucket)
    override def endMillis(bucket: String): Option[Long] = rule.endMillis(bucket)
    override def isReached(bucket: String, last: Long, now: Long, mark: Option[Long]): Boolean =
      rule.isReached(bucket, last, now, mark)
  }
}
