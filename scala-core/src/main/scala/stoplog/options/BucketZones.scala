// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** In which zones a sink writes times: into the names of directories, and into rows. */
private[stoplog] trait BucketZones extends OptionForms {

  val BucketTimeZone: SinkOption = option(
    OptionGroup.Bucket,
    "bucketTimeZone",
    "zone id",
    "that of `timeZone`",
    "The zone in which `dateTime` writes the time, without any effect on the rows.",
    "Europe/Berlin"
  )

  val TimeZone: SinkOption = withDefault(
    OptionGroup.Bucket,
    "timeZone",
    "zone id",
    "UTC",
    "The zone in which `dateTime` writes the time, unless `bucketTimeZone` is set. When it is set, `partitionBy` names " +
      "directories and `json` and `csv` write timestamps in it as well, as Spark does with its option of this name; when " +
      "it is not, they use the session's zone.",
    "Europe/Berlin"
  )
}
