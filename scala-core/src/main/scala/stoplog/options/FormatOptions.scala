// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.Locale

import stoplog.format.Encoder
import stoplog.format.bulk.BulkWriters
import stoplog.options.{SinkOptionRegistry => Registry}

/** Reads which format and which compression are asked for. */
private[options] object FormatOptions {

  val RowFormats: Seq[String] = Seq("text", "json", "csv")

  val Formats: Seq[String] = RowFormats ++ BulkFormatName.all.map(_.word)

  val Compressions: Seq[String] = Seq("none", "gzip", "zstd", "lz4", "snappy", "bzip2")

  /** What was asked for; `None` if that is a problem. */
  def format(asked: AskedOptions, problems: Problems): Option[FormatChoice] =
    Seq(Registry.FormatName, Registry.Encoder, Registry.BulkWriter).flatMap(option =>
      asked.text(option).map(option -> _)
    ) match {
      case Seq((option, _)) => one(asked, option)
      case Seq()            =>
        problems.add(
          s"format is not set: set it to ${Formats.mkString(", ")}, or set encoder or bulkWriter to a class."
        )
        None
      case several =>
        val set = several.map { case (option, text) => s"${option.key} = '${text.take(100)}'" }
        problems.add(s"${set.mkString(" and ")} exclude each other: leave one.")
        None
    }

  /** The compression of rows. */
  def compression(asked: AskedOptions, format: Option[FormatChoice]): String = format match {
    case Some(FormatChoice.Bulk(_) | FormatChoice.UserBulk(_)) => "none"
    case _                                                     => ofRows(asked).getOrElse("none")
  }

  /** The compression of a bulk format, if it is set: an option of the format. */
  def bulkCompression(asked: AskedOptions, format: FormatChoice): Option[String] = format match {
    case FormatChoice.Bulk(bulk) =>
      asked.optional(Registry.Compression)(AskedOptions.oneOf(bulk.compressions.map(name => name -> name)))
    case FormatChoice.UserBulk(_) =>
      asked.withoutEffect(Seq(Registry.Compression), "with an own bulk writer")
      None
    case _ => None
  }

  private def one(asked: AskedOptions, option: SinkOption): Option[FormatChoice] =
    option match {
      case Registry.Encoder =>
        own(asked, option, classOf[Encoder]).map(FormatChoice.UserEncoder(_))
      case Registry.BulkWriter =>
        own(asked, option, classOf[BulkWriters]).map(FormatChoice.UserBulk(_))
      case _ => asked.optional(option)(builtIn)
    }

  private def own[T](asked: AskedOptions, option: SinkOption, expected: Class[T]): Option[String] =
    asked.reference(option).filter(asked.userObject(option, _, expected).isDefined)

  private def ofRows(asked: AskedOptions): Option[String] =
    asked.optional(Registry.Compression) { text =>
      // Spark's sources call it this, too.
      if (text.equalsIgnoreCase("uncompressed")) Right("none")
      else AskedOptions.oneOf(Compressions.map(name => name -> name))(text)
    }

  private def builtIn(text: String): Either[String, FormatChoice] =
    text.trim.toLowerCase(Locale.ROOT) match {
      case dotted if dotted.contains('.') =>
        Left("looks like a class; set encoder or bulkWriter to it, and leave format out")
      case _ =>
        val rows = RowFormats.map(name => name -> FormatChoice.Rows(name))
        val bulk = BulkFormatName.all.map(name => name.word -> FormatChoice.Bulk(name))
        AskedOptions.oneOf[FormatChoice](rows ++ bulk)(text)
    }
}
