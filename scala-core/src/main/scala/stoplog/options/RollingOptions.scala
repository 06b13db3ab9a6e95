// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.{SinkOptionRegistry => Registry}
import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy}

/** A rolling policy as options, and back. */
object RollingOptions {

  /** The names of all options that a policy may have. */
  val keys: Seq[String] = Seq(
    Registry.RollingPolicy,
    Registry.MaxPartSize,
    Registry.MaxRecordsPerPart,
    Registry.RolloverInterval,
    Registry.InactivityInterval,
    Registry.EventTimeInterval
  ).map(_.key)

  /** The options that stand for this policy: by name for those that come with stoplog, whole for any other.
    */
  def toMap(policy: RollingPolicy): Map[String, String] = policy match {
    case p: DefaultRollingPolicy =>
      Map(
        Registry.RollingPolicy.key      -> Default,
        Registry.MaxPartSize.key        -> ByteSize.render(p.maxPartSizeBytes),
        Registry.RolloverInterval.key   -> rendered(p.rolloverIntervalMillis),
        Registry.InactivityInterval.key -> rendered(p.inactivityIntervalMillis)
      ) ++ p.maxRecordsPerPart.map(Registry.MaxRecordsPerPart.key -> _.toString) ++
        p.eventTimeIntervalMillis.map(Registry.EventTimeInterval.key -> TimeSpan.render(_))
    case p: OnCheckpointRollingPolicy =>
      Map(Registry.RollingPolicy.key -> OnCheckpoint) ++
        p.maxPartSizeBytes.map(Registry.MaxPartSize.key -> ByteSize.render(_)) ++
        p.maxRecordsPerPart.map(Registry.MaxRecordsPerPart.key -> _.toString)
    case custom => Map(Registry.RollingPolicy.key -> UserObject.reference(custom))
  }

  /** The same for people to read, from the log: an own policy is its class, which decides alone. */
  def noted(policy: RollingPolicy): Map[String, String] = policy match {
    case _: DefaultRollingPolicy | _: OnCheckpointRollingPolicy => toMap(policy)
    case custom => Map(Registry.RollingPolicy.key -> custom.getClass.getName)
  }

  private[options] def parse(asked: AskedOptions): RollingPolicy =
    asked.text(Registry.RollingPolicy).map(_.trim).getOrElse(Default) match {
      case name if name.equalsIgnoreCase(Default)      => default(asked)
      case name if name.equalsIgnoreCase(OnCheckpoint) => onCheckpoint(asked)
      case _                                           => custom(asked)
    }

  private val Default = "default"

  private val OnCheckpoint = "onCheckpoint"

  private def default(asked: AskedOptions): RollingPolicy = {
    val intervals = DefaultRollingPolicy()
      .withRolloverIntervalMillis(asked.value(Registry.RolloverInterval)(interval))
      .withInactivityIntervalMillis(asked.value(Registry.InactivityInterval)(interval))
    val sized   = size(asked).fold(intervals)(intervals.withMaxPartSizeBytes)
    val counted = records(asked).fold(sized)(sized.withMaxRecordsPerPart)
    eventTime(asked).fold(counted)(counted.withEventTimeIntervalMillis)
  }

  private def onCheckpoint(asked: AskedOptions): RollingPolicy = {
    asked.withoutEffect(
      Seq(Registry.RolloverInterval, Registry.InactivityInterval, Registry.EventTimeInterval),
      "with rollingPolicy = onCheckpoint, which leaves no part open"
    )
    val sized =
      size(asked).fold(OnCheckpointRollingPolicy())(OnCheckpointRollingPolicy().withMaxPartSizeBytes)
    records(asked).fold(sized)(sized.withMaxRecordsPerPart)
  }

  private def custom(asked: AskedOptions): RollingPolicy = {
    asked.withoutEffect(
      Seq(
        Registry.MaxPartSize,
        Registry.MaxRecordsPerPart,
        Registry.RolloverInterval,
        Registry.InactivityInterval,
        Registry.EventTimeInterval
      ),
      "with an own rollingPolicy, which decides alone"
    )
    asked
      .reference(Registry.RollingPolicy)
      .flatMap(asked.userObject(Registry.RollingPolicy, _, classOf[RollingPolicy]))
      .getOrElse(DefaultRollingPolicy())
  }

  private def eventTime(asked: AskedOptions): Option[Long] =
    asked.optional(Registry.EventTimeInterval)(interval).filter(_ < Long.MaxValue)

  /** A span that no part lives to see stands for no limit. */
  private def interval(text: String): Either[String, Long] =
    if (isNone(text)) Right(Long.MaxValue) else TimeSpan.parse(text)

  private def rendered(millis: Long): String =
    if (millis == Long.MaxValue) Unlimited else TimeSpan.render(millis)

  private def isNone(text: String): Boolean = text.trim.equalsIgnoreCase(Unlimited)

  private val Unlimited = "none"

  private def size(asked: AskedOptions): Option[Long] = asked.optional(Registry.MaxPartSize)(ByteSize.parse)

  private def records(asked: AskedOptions): Option[Long] =
    asked
      .optional[Option[Long]](Registry.MaxRecordsPerPart) {
        case none if isNone(none) => Right(None)
        case number               => AskedOptions.wholeNumber(number).map(Some(_))
      }
      .flatten
}
