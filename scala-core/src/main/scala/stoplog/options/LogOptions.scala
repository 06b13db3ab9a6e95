// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.{Map => JMap}

import stoplog.commit.{ForeignQuery, LostPart}
import stoplog.format.RowSink
import stoplog.options.OptionGroup.{Format, Recovery}
import stoplog.util.UserObject

/** The log options of sinks with two-phase commits. Such sinks do not write files.
  *
  * @param location the directory of the log; `None` if neither a location nor the checkpoint is set
  */
private[stoplog] final case class LogOptions(
    location: Option[String],
    sinkId: String,
    onForeignQuery: ForeignQuery,
    onLostPart: LostPart
)

private[stoplog] object LogOptions {

  val LogLocation: Opt[String] = Recovery.option("logLocation", OptionType.directory, "/data/logs/orders")(
    "the option `checkpointLocation`",
    "The directory below which a sink without files keeps its log, in a separate subdirectory. Only for " +
      "the option `sink` and for connectors: a file sink keeps the log with the files."
  )

  val UserSink: Opt[String] = Format.option("sink", OptionType.className, "com.example.TransactionalFiles")(
    "files",
    "A custom sink instead of files: the name of a class that extends `stoplog.format.RowSink` and has a " +
      "public constructor without arguments. The sink receives all other options. `sinkId`, `logLocation`, " +
      "`onForeignQuery` and `onLostPart` keep their meaning."
  )

  /** The log options for the registries of connectors. */
  val all: Seq[Opt[_]] =
    Seq(LogLocation, RecoveryOptions.SinkId, RecoveryOptions.OnForeignQuery, RecoveryOptions.OnLostPart)

  /** @param reader a reader whose registry contains all of these options
    */
  def parse(reader: OptionReader): LogOptions = LogOptions(
    reader.text(LogLocation).orElse(reader.checkpointLocation),
    reader(RecoveryOptions.SinkId),
    reader(RecoveryOptions.OnForeignQuery),
    reader(RecoveryOptions.OnLostPart)
  )

  /** Returns the user-defined sink with its log options, if the option `sink` is set.
    *
    * Errors: `STOPLOG_USER_CODE`, `STOPLOG_INVALID_OPTIONS`.
    */
  def userSink(options: JMap[String, String]): Option[(RowSink, LogOptions)] =
    Option(SparkOptions.caseless(options).get(UserSink.key)).map { reference =>
      val sink   = UserObject.load(reference, classOf[RowSink], UserSink.key)
      val reader = new OptionReader(SparkOptions.spelled(options), SinkOptionRegistry.all)
      val log    = parse(reader)
      reader.errors.throwIfAny()
      (sink, log)
    }
}
