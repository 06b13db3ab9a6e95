// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.{SinkOptionRegistry => Registry}
import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy}

/** Where rows have their event time, and who asks for it. */
private[stoplog] object EventTimeOptions {

  private[options] def column(
      asked: AskedOptions,
      rolling: RollingPolicy,
      bucketing: Bucketing
  ): Option[String] = {
    // An interval that cannot be read, or has no effect itself, has been told already.
    val isAsked = use(rolling) != EventTimeUse.Unused || asked.isSet(Registry.EventTimeInterval) ||
      bucketing.isInstanceOf[Bucketing.UserAssigner]
    if (!isAsked)
      asked.withoutEffect(
        Seq(Registry.EventTimeColumn),
        s"without ${Registry.EventTimeInterval.key}, and without an own rollingPolicy or bucketAssigner"
      )
    asked.text(Registry.EventTimeColumn)
  }

  /** What the policy does with event times. */
  def use(rolling: RollingPolicy): EventTimeUse = rolling match {
    case default: DefaultRollingPolicy if default.eventTimeIntervalMillis.isDefined => EventTimeUse.Required
    case _: DefaultRollingPolicy | _: OnCheckpointRollingPolicy                     => EventTimeUse.Unused
    case _                                                                          => EventTimeUse.Optional
  }
}

/** Whether a policy asks for the event times of rows. */
private[stoplog] sealed trait EventTimeUse

private[stoplog] object EventTimeUse {

  /** It closes parts by them. */
  case object Required extends EventTimeUse

  /** An own policy gets them where rows have any. */
  case object Optional extends EventTimeUse

  case object Unused extends EventTimeUse
}
