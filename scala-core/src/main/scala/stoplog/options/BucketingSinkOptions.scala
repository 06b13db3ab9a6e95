// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.storage.{PartLayout, Truncation}

/** The settings of hidden files, `bucketingSink.<setting>`, which only the builders of the BucketingSink set.
  * No page lists these settings.
  */
private[stoplog] object BucketingSinkOptions {

  val Settings: Opt[String] = OptionGroup.Internal.option(
    "bucketingSink",
    OptionType.text.copy(takesParameters = true),
    "inProgressPrefix"
  )("the names of the BucketingSink", "The prefix of settings that the builders of the BucketingSink set.")

  /** Returns the key of a setting. */
  def key(setting: String): String = s"${Settings.key}.$setting"

  /** Returns the layout whose unfinished files are next to the finished files. */
  def layout(reader: OptionReader, sinkId: String): PartLayout.InBucket = {
    val named = PartLayout.InBucket(
      sinkId,
      setting(reader, InProgressPrefix, PartOptions.hidden, "_"),
      setting(reader, InProgressSuffix, PartOptions.piece, ".in-progress"),
      setting(reader, PendingPrefix, PartOptions.hidden, "_"),
      setting(reader, PendingSuffix, PartOptions.piece, ".pending")
    )
    if (named.inProgressPrefix == named.pendingPrefix && named.inProgressSuffix == named.pendingSuffix)
      reader.errors.add(
        "inProgressPrefix and inProgressSuffix are the same as pendingPrefix and pendingSuffix: change one."
      )
    named
  }

  /** Rejects markers of a layout without markers. */
  def refuseMarkers(reader: OptionReader): Unit =
    withoutEffect(reader, Markers, "unless inProgress is set to bucket")

  /** Also rejects unknown settings. */
  def truncation(reader: OptionReader): Truncation = {
    for ((name, _) <- reader.parametersOf(Settings) if !all.exists(_.equalsIgnoreCase(name)))
      reader.errors.add(s"${key(name)} is not a setting of the BucketingSink: remove it.")
    if (setting(reader, UseTruncate, OptionType.truth, true)) {
      withoutEffect(reader, ValidLength, "unless useTruncate is set to false")
      Truncation.Allowed
    } else
      Truncation.ValidLength(
        setting(reader, ValidLengthPrefix, PartOptions.hidden, Truncation.DefaultPrefix),
        setting(reader, ValidLengthSuffix, PartOptions.piece, Truncation.DefaultSuffix)
      )
  }

  private def withoutEffect(reader: OptionReader, settings: Seq[String], because: String): Unit =
    for (name <- settings if text(reader, name).isDefined)
      reader.errors.add(s"${key(name)} has no effect $because: remove it.")

  private def setting[T](reader: OptionReader, name: String, values: OptionType[T], default: T): T =
    text(reader, name).fold(default) { text =>
      values
        .parse(text)
        .left
        .map(why => reader.errors.add(s"${key(name)} = '$text' $why."))
        .getOrElse(default)
    }

  private def text(reader: OptionReader, name: String): Option[String] =
    reader.parametersOf(Settings).collectFirst { case (key, text) if key.equalsIgnoreCase(name) => text }

  private final val InProgressPrefix  = "inProgressPrefix"
  private final val InProgressSuffix  = "inProgressSuffix"
  private final val PendingPrefix     = "pendingPrefix"
  private final val PendingSuffix     = "pendingSuffix"
  private final val UseTruncate       = "useTruncate"
  private final val ValidLengthPrefix = "validLengthPrefix"
  private final val ValidLengthSuffix = "validLengthSuffix"

  private val Markers     = Seq(InProgressPrefix, InProgressSuffix, PendingPrefix, PendingSuffix)
  private val ValidLength = Seq(ValidLengthPrefix, ValidLengthSuffix)
  private val all         = (Markers :+ UseTruncate) ++ ValidLength
}
