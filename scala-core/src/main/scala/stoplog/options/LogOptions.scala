// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.OptionGroup.{Format, Recovery}

/** Where a sink keeps its log that does not write files, and what it does when that is another's: what all sinks that
  * commit in two phases are asked.
  *
  * @param location `None` if neither it nor the checkpoint was given
  */
private[stoplog] final case class LogOptions(
    location: Option[String],
    sinkId: String,
    onForeignQuery: OnForeignQuery,
    onLostPart: OnLostPart
)

/** Their entries in a registry. */
private[stoplog] object LogOptions extends OptionForms {

  val LogLocation: SinkOption = option(
    Recovery,
    "logLocation",
    "directory",
    "the option `checkpointLocation`",
    "Where a sink that does not write files keeps its log, in a directory of its own below. Only for the option `sink` " +
      "and for connectors: a sink of files has its log with its files.",
    "/data/logs/orders"
  )

  val OwnSink: SinkOption = option(
    Format,
    "sink",
    "class name",
    "files",
    "A sink of one's own instead of files: the name of a class that extends `stoplog.format.RowSink` and has a public " +
      "constructor without arguments. It gets all other options, of which `sinkId`, `logLocation`, `onForeignQuery` and " +
      "`onLostPart` mean the same.",
    "com.example.TransactionalFiles"
  )

  /** What connectors put into their registries. */
  val all: Seq[SinkOption] =
    Seq(
      LogLocation,
      SinkOptionRegistry.SinkId,
      SinkOptionRegistry.OnForeignQuery,
      SinkOptionRegistry.OnLostPart
    )

  /** @param asked of a registry that has all of them */
  def parse(asked: AskedOptions): LogOptions = LogOptions(
    asked
      .text(LogLocation)
      .orElse(asked.others.collectFirst {
        case (key, value) if key.equalsIgnoreCase("checkpointLocation") => value
      }),
    asked.value(SinkOptionRegistry.SinkId)(SinkIds.parse),
    asked.choice(SinkOptionRegistry.OnForeignQuery, OnForeignQuery.all),
    asked.choice(SinkOptionRegistry.OnLostPart, OnLostPart.all)
  )
}
