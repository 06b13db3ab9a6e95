package stoplog.options

import java.util.Locale

import stoplog.format.Encoder
import stoplog.options.{SinkOptionRegistry => Registry}

/** Reads which format and which compression are asked for. */
private[options] object FormatOptions {

  val Formats: Seq[String] = Seq("text", "json", "csv")

  val Compressions: Seq[String] = Seq("none", "gzip", "zstd", "lz4", "snappy", "bzip2")

  /** What was asked for; `None` if that is a problem. */
  def format(asked: AskedOptions, problems: Problems): Option[RowFormatChoice] =
    (asked.text(Registry.RowFormat), asked.text(Registry.Encoder)) match {
      case (Some(format), Some(_)) =>
        problems.add(s"format = '$format' and encoder exclude each other: remove one of them.")
        None
      case (None, None) =>
        problems.add(s"format is not set: set it to ${Formats.mkString(", ")}, or set encoder to a class.")
        None
      case (_, Some(reference)) =>
        asked
          .userObject(Registry.Encoder, reference, classOf[Encoder])
          .map(_ => RowFormatChoice.UserEncoder(reference))
      case (Some(_), None) =>
        asked.optional(Registry.RowFormat)(builtIn).map(RowFormatChoice.BuiltIn)
    }

  /** One of [[Compressions]]. */
  def compression(asked: AskedOptions): String =
    asked.value(Registry.Compression) { text =>
      // Spark's sources call it this, too.
      if (text.equalsIgnoreCase("uncompressed")) Right("none")
      else AskedOptions.oneOf(Compressions.map(name => name -> name))(text)
    }

  private def builtIn(text: String): Either[String, String] =
    text.trim.toLowerCase(Locale.ROOT) match {
      case "parquet" | "orc" | "avro" | "sequencefile" =>
        Left(s"is a bulk format, and this version writes ${Formats.mkString(", ")} and own encoders")
      case dotted if dotted.contains('.') =>
        Left("looks like a class; set encoder to it, and leave format out")
      case name => AskedOptions.oneOf(Formats.map(known => known -> known))(name)
    }
}
