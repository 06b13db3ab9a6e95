// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.nio.charset.StandardCharsets.UTF_8

import stoplog.options.OptionGroup.Writer
import stoplog.storage.PartLayout

/** The names of parts, finished and unfinished, and how tasks write and compact parts.
  *
  * @param prefix       the prefix of finished names
  * @param suffix       the suffix of finished names; `None` to derive the suffix from format and compression
  * @param layout       the location of unfinished parts
  * @param maxOpen      the maximum number of open parts of a task
  * @param distribution how Spark distributes rows to writers
  * @param compaction   how small finished parts are compacted, if enabled
  */
private[stoplog] final case class PartOptions(
    prefix: String,
    suffix: Option[String],
    layout: PartLayout,
    maxOpen: Int,
    distribution: Distribution,
    compaction: Option[CompactionOptions]
)

private[stoplog] object PartOptions extends OptionList(OptionGroup.Name) {

  /** A text inside the name of a part. */
  private[options] val piece: OptionType[String] = OptionType.checked("text")(pieceOf)

  /** A text at the start of a name, which hides the file. */
  private[options] val hidden: OptionType[String] = OptionType.checked("text") { text =>
    if (isHidden(text)) pieceOf(text)
    else Left("must begin with '.' or '_', or readers would read such files as data")
  }

  val PartPrefix: Opt[String] = withDefault(
    "partPrefix",
    OptionType.checked("text") { text =>
      if (isHidden(text)) Left("begins with '.' or '_', which hides the finished files from readers")
      else pieceOf(text)
    },
    "part",
    "events"
  )(
    "The prefix of finished files: `<prefix>-<uid>-<n><suffix>`. Without `/`, and without `.` or `_` as " +
      "the first character."
  )

  val PartSuffix: Opt[String] =
    option("partSuffix", piece.as("text, may be empty").copy(mayBeEmpty = true), ".ndjson")(
      "from the format and the compression, such as `.json.gz`",
      "The suffix of finished files, with the dot."
    )

  val InProgress: Opt[Boolean] = choice[Boolean]("inProgress", "staging" -> false, "bucket" -> true)(
    "bucket",
    "The location of unfinished parts: `staging` is a directory below `_stoplog` in the path. `bucket` is " +
      "the directory of the finished files, under hidden names. Fixed for the life of the log. Only builders " +
      "of the [BucketingSink](../files/bucketing-sink.md) set other hidden names."
  )

  val MaxOpenParts: Opt[Int] = enter(
    Writer.withDefault("maxOpenParts", OptionType.count, 1000, "200")(
      "The maximum number of open parts of a task, a bound of memory and open files. Beyond the limit, the " +
        "task closes the part with the longest time since the last write."
    )
  )

  val Distribution: Opt[Distribution] = enter(
    Writer.withDefault(
      "distribution",
      stoplog.options.Distribution.values,
      stoplog.options.Distribution.Unspecified,
      "byBucket"
    )(
      "The distribution of rows to writers. `none` keeps the partitions of the rows. `byBucket` shuffles " +
        "all rows of a bucket to a single writer, for fewer and larger files. A number distributes rows " +
        "evenly to this number of writers."
    )
  )

  /** @param sinkId the sink id of the layout
    */
  def parse(reader: OptionReader, sinkId: String, compaction: Option[CompactionOptions]): PartOptions =
    PartOptions(
      reader(PartPrefix),
      suffix(reader),
      layout(reader, sinkId),
      reader(MaxOpenParts),
      reader(Distribution),
      compaction
    )

  /** Returns the settings that the log records of a layout. */
  def recorded(layout: PartLayout): Map[String, String] = layout match {
    case _: PartLayout.Staging       => Map(InProgress.key -> InProgress.values.render(false))
    case bucket: PartLayout.InBucket =>
      Map(
        InProgress.key     -> InProgress.values.render(true),
        "inProgressPrefix" -> bucket.inProgressPrefix,
        "inProgressSuffix" -> bucket.inProgressSuffix,
        "pendingPrefix"    -> bucket.pendingPrefix,
        "pendingSuffix"    -> bucket.pendingSuffix
      )
  }

  private def suffix(reader: OptionReader): Option[String] =
    reader.textOrEmpty(PartSuffix).map { text =>
      PartSuffix.values.parse(text).left.foreach(why => reader.errors.add(s"partSuffix = '$text' $why."))
      text
    }

  private def layout(reader: OptionReader, sinkId: String): PartLayout =
    if (reader(InProgress)) BucketingSinkOptions.layout(reader, sinkId)
    else {
      BucketingSinkOptions.refuseMarkers(reader)
      PartLayout.Staging(sinkId)
    }

  private def isHidden(text: String): Boolean = text.startsWith(".") || text.startsWith("_")

  // Two affixes, an id and a number must fit into 255 bytes, the limit of file systems for a name.
  private final def MaxBytes = 48

  private def pieceOf(text: String): Either[String, String] =
    if (text.exists(c => "/\\:".contains(c) || c.isControl)) Left("has a '/', '\\', ':' or control character")
    else if (text.getBytes(UTF_8).length > MaxBytes) Left(s"is longer than $MaxBytes bytes")
    else Right(text)
}

/** The distribution of rows to writers. */
private[stoplog] sealed trait Distribution extends Product with Serializable

private[stoplog] object Distribution {

  /** Rows keep their partitions. */
  case object Unspecified extends Distribution

  /** All rows of a bucket are sent to one writer. */
  case object ByBucket extends Distribution

  /** Rows are distributed evenly to this number of writers.
    *
    * @param count positive
    */
  final case class Writers(count: Int) extends Distribution

  private[options] val values: OptionType[Distribution] = {
    val words = OptionType.words[Distribution]("none" -> Unspecified, "byBucket" -> ByBucket)
    words.copy(
      "`none`, `byBucket` or a whole number",
      text =>
        words
          .parse(text)
          .toOption
          .orElse(text.trim.toIntOption.filter(_ > 0).map(Writers))
          .toRight(
            "must be none, byBucket or a number of writers, more than 0"
          ),
      {
        case Writers(count) => count.toString
        case word           => words.render(word)
      },
      words = Nil
    )
  }
}
