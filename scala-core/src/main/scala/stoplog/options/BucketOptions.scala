// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.ZoneId

import stoplog.bucket.{BucketAssigner, Bucketing, DateTimeBucketAssigner}
import stoplog.error.{Errors, StoplogArgumentException}

/** The directory of each row, the follow-ups of a complete directory, and the directories that an overwrite
  * replaces.
  */
private[stoplog] final case class BucketOptions(
    bucketing: Bucketing,
    completeness: Completeness,
    overwrite: OverwriteOptions
)

private[stoplog] object BucketOptions extends OptionList(OptionGroup.Bucket) {

  val BucketBy: Opt[String] =
    option("bucketBy", OptionType.text.as("SQL expression"), "concat('region=', region)")(
      "none",
      "The bucket of a row is the value of this expression over the columns of the row, as a string; `/` " +
        "separates directories. Functions of time use the time zone of the session. Not together with " +
        "`partitionBy` or `bucketAssigner`."
    )

  val PartitionBy: Opt[Seq[String]] = option("partitionBy", OptionType.columnNames, "year,month")(
    "none",
    "Directories `column=value` in the layout of Hive and Spark; the files do not contain these columns. " +
      "Write names with a comma in backticks. Not together with `bucketBy` or `bucketAssigner`. For " +
      "`df.writeStream.format(\"stoplog\").partitionBy(…)` Spark passes nothing on to the sink, so that call " +
      "has no effect: use this option."
  )

  /** Set by `BucketAssigner.from_function` of Python, whose function is evaluated in this column. */
  val BucketFrom: Opt[String] = enter(
    OptionGroup.Internal.option("bucketFrom", OptionType.columnName, "directory")(
      "none",
      "The bucket of a row is the value of this column of strings; `/` separates directories. The files do " +
        "not contain the column. Null is the bucket `null`."
    )
  )

  val BucketAssigner: Opt[String] = withDefault(
    "bucketAssigner",
    OptionType.userClass.as("`dateTime`, `basePath` or class name"),
    "dateTime",
    "basePath"
  )(
    "`dateTime` names the bucket after a time, by `bucketFormat`, `basePath` writes into the path " +
      "itself. A class extends `stoplog.bucket.BucketAssigner` and has a public constructor without " +
      "arguments."
  )

  val BucketFormat: Opt[String] = withDefault(
    "bucketFormat",
    OptionType.text.as("pattern of `java.time.format.DateTimeFormatter`"),
    DateTimeBucketAssigner.DefaultPattern,
    "'day='yyyy-MM-dd"
  )(
    "The form of the time of `dateTime`. `/` separates directories, and quoted text is literal. Levels " +
      "`name=value` are columns for Spark, pyarrow, DuckDB and pandas. A sink whose log has recorded " +
      "another pattern keeps the recorded pattern unless this option is set."
  )

  val BucketColumn: Opt[String] = option("bucketColumn", OptionType.columnName, "event_time")(
    "the time of processing",
    "The timestamp or date column with the time for `dateTime`."
  )

  private val zone: OptionType[ZoneId] = OptionType.zone("zone id")(
    ZoneId.of(_, ZoneId.SHORT_IDS),
    "is not a time zone; write for example UTC, Europe/Berlin or +02:00"
  )

  val BucketTimeZone: Opt[ZoneId] = option("bucketTimeZone", zone, "Europe/Berlin")(
    "Spark's option `timeZone`, or `UTC`",
    "The time zone of `dateTime`, without any effect on the rows. Fixed for the life of the log: without this " +
      "option, the zone in the log applies."
  )

  val TimeZone: Opt[ZoneId] = enter(
    OptionGroup.OfSpark.withDefault("timeZone", zone, ZoneId.of("UTC"), "Europe/Berlin")(
      "The time zone of timestamps in `json`, `csv` and directories of `partitionBy`; by default the zone of " +
        "the session. For directories, the zone in the log of the sink has priority over the zone of the session. " +
        "Also the default of `bucketTimeZone`, which is UTC without both."
    )
  )

  /** Returns the options that define a bucketing. */
  def toMap(bucketing: Bucketing): Map[String, String] = bucketing match {
    case Bucketing.DateTime(pattern, zone, column) =>
      Map(
        BucketAssigner.key -> "dateTime",
        BucketFormat.key   -> pattern,
        BucketTimeZone.key -> zone.getId
      ) ++ column.map(BucketColumn.key -> _)
    case Bucketing.BasePath                      => Map(BucketAssigner.key -> "basePath")
    case Bucketing.Expression(sql)               => Map(BucketBy.key -> sql)
    case Bucketing.FromColumn(name)              => Map(BucketFrom.key -> BucketFrom.values.render(name))
    case Bucketing.PartitionColumns(names, zone) =>
      Map(PartitionBy.key -> PartitionBy.values.render(names)) ++ zone.map(TimeZone.key -> _.getId)
    case Bucketing.UserAssigner(reference) => Map(BucketAssigner.key -> reference)
  }

  def parse(reader: OptionReader): BucketOptions = {
    val bucketing = bucketingOf(reader)
    BucketOptions(bucketing, Completeness.parse(reader, bucketing), OverwriteOptions.parse(reader))
  }

  private def bucketingOf(reader: OptionReader): Bucketing = {
    val ways = Seq(BucketBy, PartitionBy, BucketFrom, BucketAssigner).filter(reader.isSet)
    if (ways.size > 1)
      reader.errors.add(s"${ways.map(_.key).mkString(" and ")} exclude each other: keep one of them.")
    // Every option set by the user is read, so that all problems are reported.
    val read = ways.map {
      case BucketBy    => Bucketing.Expression(reader.text(BucketBy).mkString)
      case PartitionBy => partitionColumns(reader)
      case BucketFrom  => Bucketing.FromColumn(reader.text(BucketFrom).mkString)
      case _           => assigner(reader)
    }
    val bucketing = read.headOption.getOrElse(dateTime(reader))
    bucketing match {
      case _: Bucketing.DateTime => ()
      case _                     =>
        val ofDateTime = Seq(BucketFormat, BucketColumn, BucketTimeZone)
        if (ways.size == 1)
          reader.withoutEffect(ofDateTime, s"with ${ways.head.key}, only with bucketAssigner = dateTime")
    }
    bucketing
  }

  private def partitionColumns(reader: OptionReader): Bucketing = {
    val parsed = PartitionBy.values.parse(reader.text(PartitionBy).mkString)
    parsed.left.foreach(why => reader.errors.add(s"partitionBy: $why.", Errors.partitionColumns(why)))
    Bucketing.PartitionColumns(parsed.getOrElse(Nil), reader.get(TimeZone))
  }

  private def assigner(reader: OptionReader): Bucketing =
    reader.text(BucketAssigner).mkString.trim match {
      case name if name.equalsIgnoreCase("dateTime") => dateTime(reader)
      case name if name.equalsIgnoreCase("basePath") => Bucketing.BasePath
      case _                                         =>
        val reference = reader.reference(BucketAssigner).mkString
        reader.userObject(BucketAssigner, reference, classOf[BucketAssigner])
        Bucketing.UserAssigner(reference)
    }

  private def dateTime(reader: OptionReader): Bucketing = {
    val zone    = reader.get(BucketTimeZone).getOrElse(reader(TimeZone))
    val pattern = reader(BucketFormat)
    val column  = reader.text(BucketColumn)
    try new DateTimeBucketAssigner(pattern, zone, column)
    catch {
      case e: StoplogArgumentException =>
        reader.errors.add(
          s"bucketFormat = '$pattern' cannot name a bucket: ${e.getMessageParameters.get("why")}.",
          e
        )
    }
    Bucketing.DateTime(pattern, zone, column)
  }
}
