// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.{DateTimeException, ZoneId}

import stoplog.bucket.{BucketAssigner, DateTimeBucketAssigner}
import stoplog.error.{Errors, StoplogArgumentException}
import stoplog.options.{SinkOptionRegistry => Registry}

/** Reads which buckets are asked for. */
private[options] object BucketingOptions {

  def parse(asked: AskedOptions, problems: Problems): Bucketing = {
    val ways = Seq(Registry.BucketBy, Registry.PartitionBy, Registry.BucketAssigner).filter(asked.isSet)
    if (ways.size > 1)
      problems.add(s"${ways.map(_.key).mkString(" and ")} exclude each other: keep one of them.")
    // All that were asked for are read, so that a mistake in any of them is told too.
    val read = ways.map {
      case Registry.BucketBy    => Bucketing.Expression(asked.text(Registry.BucketBy).mkString)
      case Registry.PartitionBy => partitionColumns(asked, problems)
      case _                    => assigner(asked, problems)
    }
    val bucketing = read.headOption.getOrElse(dateTime(asked, problems))
    bucketing match {
      case _: Bucketing.DateTime => ()
      case _                     =>
        val ofDateTime = Seq(Registry.BucketFormat, Registry.BucketColumn, Registry.BucketTimeZone)
        if (ways.size == 1)
          asked.withoutEffect(ofDateTime, s"with ${ways.head.key}, only with bucketAssigner = dateTime")
    }
    bucketing
  }

  private def partitionColumns(asked: AskedOptions, problems: Problems): Bucketing = {
    val parsed = ColumnNames.parse(asked.text(Registry.PartitionBy).mkString)
    parsed.left.foreach(why => problems.add(s"partitionBy: $why.", Errors.partitionColumns(why)))
    Bucketing.PartitionColumns(parsed.getOrElse(Nil), asked.optional(Registry.TimeZone)(timeZone))
  }

  private def assigner(asked: AskedOptions, problems: Problems): Bucketing =
    asked.text(Registry.BucketAssigner).mkString.trim match {
      case name if name.equalsIgnoreCase("dateTime") => dateTime(asked, problems)
      case name if name.equalsIgnoreCase("basePath") => Bucketing.BasePath
      case _                                         =>
        val reference = asked.reference(Registry.BucketAssigner).mkString
        asked.userObject(Registry.BucketAssigner, reference, classOf[BucketAssigner])
        Bucketing.UserAssigner(reference)
    }

  private def dateTime(asked: AskedOptions, problems: Problems): Bucketing = {
    val zone =
      asked.optional(Registry.BucketTimeZone)(timeZone).getOrElse(asked.value(Registry.TimeZone)(timeZone))
    val pattern = asked.value(Registry.BucketFormat)(Right(_))
    val column  = asked.text(Registry.BucketColumn)
    try new DateTimeBucketAssigner(pattern, zone, column)
    catch {
      case e: StoplogArgumentException =>
        problems.add(
          s"bucketFormat = '$pattern' cannot name a bucket: ${e.getMessageParameters.get("why")}.",
          e
        )
    }
    Bucketing.DateTime(pattern, zone, column)
  }

  def timeZone(text: String): Either[String, ZoneId] =
    try Right(ZoneId.of(text.trim, ZoneId.SHORT_IDS))
    catch {
      case _: DateTimeException => Left("is not a time zone; write for example UTC, Europe/Berlin or +02:00")
    }
}
