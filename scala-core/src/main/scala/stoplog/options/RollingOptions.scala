// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.bucket.Bucketing
import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy}
import stoplog.util.UserObject

/** The conditions under which a part is closed.
  *
  * @param eventTimeColumn     the column with the event time; `None` for the column of the query's
  *                            `withWatermark`
  * @param checkIntervalMillis the interval of policy checks while no data arrives, in milliseconds
  */
private[stoplog] final case class RollingOptions(
    policy: RollingPolicy,
    eventTimeColumn: Option[String],
    checkIntervalMillis: Long
) {
  import RollingOptions.EventTimeUse

  /** Returns how the policy uses event times. */
  def eventTimeUse: EventTimeUse = EventTimeUse.of(policy)
}

private[stoplog] object RollingOptions extends OptionList(OptionGroup.Rolling) {

  val RollingPolicy: Opt[String] = withDefault(
    "rollingPolicy",
    OptionType.userClass.as("`default`, `onCheckpoint` or class name"),
    Default,
    "onCheckpoint"
  )(
    "`default` keeps a part open across micro-batches until a limit of size, rows, age or inactivity is reached. " +
      "`onCheckpoint` closes every part at the end of its epoch: rows are visible at once, in many more " +
      "files. A class extends `stoplog.rolling.RollingPolicy` and has a public constructor without arguments."
  )

  val MaxPartSize: Opt[Long] = option("maxPartSize", OptionType.size, "256m")(
    "`128m`; with `onCheckpoint`: no limit",
    "A part with more bytes on storage, after compression, is closed. A part exceeds the limit by at most " +
      "one row and the bytes buffered in the compressor. On S3 a part has at most 74 GiB, or 148 GiB if " +
      "the part started with a large epoch, regardless of this limit."
  )

  val MaxRecordsPerPart: Opt[Option[Long]] =
    option("maxRecordsPerPart", orNone(OptionType.wholeNumber), "1000000")(
      "no limit",
      "A part holds at most this many rows."
    )

  val RolloverInterval: Opt[Option[Long]] =
    withDefault("rolloverInterval", orNone(OptionType.span), Some(15 * 60 * 1000L), "1 hour")(
      "A part is closed at this age, even if rows still arrive. Only with the `default` policy."
    )

  val InactivityInterval: Opt[Option[Long]] =
    withDefault("inactivityInterval", orNone(OptionType.span), Some(5 * 60 * 1000L), "90s")(
      "A part without a new row for this time is closed. Only with the `default` policy."
    )

  val EventTimeInterval: Opt[Option[Long]] =
    option("eventTimeInterval", orNone(OptionType.span), "10m")(
      "no limit",
      "A row closes the part and goes to a new part if the row's event time is at least this much after " +
        "the event time of the part's first row, as with `rotate.interval.ms` of Kafka Connect's sinks. " +
        "Rows without an event time, and late rows, close no part. Only with the `default` policy."
    )

  val EventTimeColumn: Opt[String] = option("eventTimeColumn", OptionType.columnName, "event_time")(
    "the column of the query's `withWatermark`",
    "The timestamp or date column of the event time, for `eventTimeInterval` and for custom policies and " +
      "bucket assigners."
  )

  val BucketCheckInterval: Opt[Long] =
    withDefault("bucketCheckInterval", OptionType.span, 60 * 1000L, "10s")(
      "The interval at which the driver looks for parts beyond one of the two intervals while no data " +
        "arrives. With data, the driver also looks at the end of each micro-batch."
    )

  private def limits: Seq[Opt[_]] = Seq(MaxPartSize, MaxRecordsPerPart) ++ intervals

  private def intervals: Seq[Opt[_]] = Seq(RolloverInterval, InactivityInterval, EventTimeInterval)

  /** Returns the names of all options of a policy. */
  def keys: Seq[String] = (RollingPolicy +: limits).map(_.key)

  /** Returns the options that define this policy. A built-in policy is defined by name, and any other policy
    * by a reference.
    */
  def toMap(policy: RollingPolicy): Map[String, String] = policy match {
    case p: DefaultRollingPolicy =>
      Map(
        RollingPolicy.key      -> Default,
        MaxPartSize.key        -> MaxPartSize.values.render(p.maxPartSizeBytes),
        RolloverInterval.key   -> rendered(p.rolloverIntervalMillis),
        InactivityInterval.key -> rendered(p.inactivityIntervalMillis)
      ) ++ p.maxRecordsPerPart.map(MaxRecordsPerPart.key -> _.toString) ++
        p.eventTimeIntervalMillis.map(EventTimeInterval.key -> TimeSpan.render(_))
    case p: OnCheckpointRollingPolicy =>
      Map(RollingPolicy.key -> OnCheckpoint) ++
        p.maxPartSizeBytes.map(MaxPartSize.key -> MaxPartSize.values.render(_)) ++
        p.maxRecordsPerPart.map(MaxRecordsPerPart.key -> _.toString)
    case custom => Map(RollingPolicy.key -> UserObject.reference(custom, RollingPolicy.key))
  }

  /** Returns the options for the log, readable by people. A user-defined policy is recorded as its class. */
  def noted(policy: RollingPolicy): Map[String, String] = policy match {
    case _: DefaultRollingPolicy | _: OnCheckpointRollingPolicy => toMap(policy)
    case custom => Map(RollingPolicy.key -> custom.getClass.getName)
  }

  def parse(reader: OptionReader, bucketing: Bucketing): RollingOptions = {
    val policy = policyOf(reader)
    RollingOptions(policy, eventTimeColumn(reader, policy, bucketing), reader(BucketCheckInterval))
  }

  private def policyOf(reader: OptionReader): RollingPolicy =
    reader.text(RollingPolicy).map(_.trim).getOrElse(Default) match {
      case name if name.equalsIgnoreCase(Default)      => default(reader)
      case name if name.equalsIgnoreCase(OnCheckpoint) => onCheckpoint(reader)
      case _                                           => custom(reader)
    }

  private def default(reader: OptionReader): RollingPolicy = {
    val intervals = DefaultRollingPolicy()
      .withRolloverIntervalMillis(reader(RolloverInterval).getOrElse(Unlimited))
      .withInactivityIntervalMillis(reader(InactivityInterval).getOrElse(Unlimited))
    val sized   = reader.get(MaxPartSize).fold(intervals)(intervals.withMaxPartSizeBytes)
    val counted = reader.get(MaxRecordsPerPart).flatten.fold(sized)(sized.withMaxRecordsPerPart)
    reader.get(EventTimeInterval).flatten.fold(counted)(counted.withEventTimeIntervalMillis)
  }

  private def onCheckpoint(reader: OptionReader): RollingPolicy = {
    reader.withoutEffect(intervals, "with rollingPolicy = onCheckpoint, which leaves no part open")
    val policy = OnCheckpointRollingPolicy()
    val sized  = reader.get(MaxPartSize).fold(policy)(policy.withMaxPartSizeBytes)
    reader.get(MaxRecordsPerPart).flatten.fold(sized)(sized.withMaxRecordsPerPart)
  }

  private def custom(reader: OptionReader): RollingPolicy = {
    reader.withoutEffect(limits, "with a custom rollingPolicy")
    reader
      .reference(RollingPolicy)
      .flatMap(reader.userObject(RollingPolicy, _, classOf[RollingPolicy]))
      .getOrElse(DefaultRollingPolicy())
  }

  private def eventTimeColumn(
      reader: OptionReader,
      policy: RollingPolicy,
      bucketing: Bucketing
  ): Option[String] = {
    // An invalid or ineffective interval has already been reported.
    val isUsed = EventTimeUse.of(policy) != EventTimeUse.Unused || reader.isSet(EventTimeInterval) ||
      bucketing.isInstanceOf[Bucketing.UserAssigner]
    if (!isUsed)
      reader.withoutEffect(
        Seq(EventTimeColumn),
        s"without ${EventTimeInterval.key}, a custom rollingPolicy or a custom bucketAssigner"
      )
    reader.text(EventTimeColumn)
  }

  private final def Default      = "default"
  private final def OnCheckpoint = "onCheckpoint"
  private final def NoLimit      = "none"

  /** A time span longer than the life of any part. */
  private final def Unlimited = Long.MaxValue

  private def rendered(millis: Long): String =
    RolloverInterval.values.render(Option(millis).filter(_ < Unlimited))

  private def orNone(limit: OptionType[Long]): OptionType[Option[Long]] = OptionType(
    s"${limit.described}, or `$NoLimit`",
    text => if (text.trim.equalsIgnoreCase(NoLimit)) Right(None) else limit.parse(text).map(Some(_)),
    _.fold(NoLimit)(limit.render)
  )

  /** How a policy uses the event times of rows. */
  sealed trait EventTimeUse

  object EventTimeUse {

    /** The policy closes parts by event time. */
    case object Required extends EventTimeUse

    /** A user-defined policy receives event times, if the rows have any. */
    case object Optional extends EventTimeUse

    case object Unused extends EventTimeUse

    def of(policy: RollingPolicy): EventTimeUse = policy match {
      case default: DefaultRollingPolicy if default.eventTimeIntervalMillis.isDefined => Required
      case _: DefaultRollingPolicy | _: OnCheckpointRollingPolicy                     => Unused
      case _                                                                          => Optional
    }
  }
}
