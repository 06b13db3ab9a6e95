// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.nio.charset.StandardCharsets.UTF_8

import stoplog.options.{SinkOptionRegistry => Registry}
import stoplog.storage.Truncation

/** Reads what parts are called, finished and unfinished. */
private[options] object NameOptions {

  def prefix(asked: AskedOptions): String =
    asked.value(Registry.PartPrefix) { text =>
      if (isHidden(text)) Left("begins with '.' or '_', which hides the finished files from readers")
      else piece(text)
    }

  def suffix(asked: AskedOptions, problems: Problems): Option[String] =
    asked.textOrEmpty(Registry.PartSuffix).map { text =>
      piece(text).left.foreach(why => problems.add(s"partSuffix = '$text' $why."))
      text
    }

  def staging(asked: AskedOptions, problems: Problems): Staging =
    asked.value(Registry.InProgress)(AskedOptions.oneOf(Seq("staging" -> false, "bucket" -> true))) match {
      case true  => inBucket(asked, problems)
      case false =>
        val markers =
          Seq(
            Registry.InProgressPrefix,
            Registry.InProgressSuffix,
            Registry.PendingPrefix,
            Registry.PendingSuffix
          )
        asked.withoutEffect(markers, "unless inProgress is set to bucket")
        Staging.StagingDirectory
    }

  def truncation(asked: AskedOptions): Truncation =
    if (asked.value(Registry.UseTruncate)(AskedOptions.oneOf(Seq("true" -> true, "false" -> false)))) {
      val names = Seq(Registry.ValidLengthPrefix, Registry.ValidLengthSuffix)
      asked.withoutEffect(names, "unless useTruncate is set to false")
      Truncation.Allowed
    } else
      Truncation.ValidLength(
        asked.value(Registry.ValidLengthPrefix)(hidden),
        asked.value(Registry.ValidLengthSuffix)(piece)
      )

  private def inBucket(asked: AskedOptions, problems: Problems): Staging = {
    val staging = Staging.InBucket(
      asked.value(Registry.InProgressPrefix)(hidden),
      asked.value(Registry.InProgressSuffix)(piece),
      asked.value(Registry.PendingPrefix)(hidden),
      asked.value(Registry.PendingSuffix)(piece)
    )
    val open    = (staging.inProgressPrefix, staging.inProgressSuffix)
    val pending = (staging.pendingPrefix, staging.pendingSuffix)
    if (open == pending)
      problems.add(
        "inProgressPrefix and inProgressSuffix are the same as pendingPrefix and pendingSuffix: change one."
      )
    staging
  }

  private def hidden(text: String): Either[String, String] =
    if (isHidden(text)) piece(text)
    else Left("must begin with '.' or '_', or readers would take such files for data")

  private def isHidden(text: String): Boolean = text.startsWith(".") || text.startsWith("_")

  // Two of them, an id and a number must fit into the 255 bytes that file systems allow for a name.
  private val MaxBytes = 48

  private def piece(text: String): Either[String, String] =
    if (text.exists(c => "/\\:".contains(c) || c.isControl)) Left("has a '/', '\\', ':' or control character")
    else if (text.getBytes(UTF_8).length > MaxBytes) Left(s"is longer than $MaxBytes bytes")
    else Right(text)
}
