// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** By the rows' own times. */
private[options] trait EventTimeEntries extends OptionForms {

  val EventTimeInterval: SinkOption = option(
    OptionGroup.Rolling,
    "eventTimeInterval",
    "time, or `none`",
    "no limit",
    "A row whose event time is this much, or more, behind that of a part's first row closes the part and goes to another one, " +
      "as with `rotate.interval.ms` of Kafka Connect's sinks. Rows without an event time, and late ones, close nothing. Only " +
      "with the `default` policy.",
    "10m"
  )

  val EventTimeColumn: SinkOption = option(
    OptionGroup.Rolling,
    "eventTimeColumn",
    "column name",
    "the column of the query's `withWatermark`",
    "The timestamp or date column in which rows have their event time, for `eventTimeInterval` and for policies and " +
      "bucket assigners of your own.",
    "event_time"
  )
}
