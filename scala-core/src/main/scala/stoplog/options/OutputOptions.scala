// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import scala.util.{Failure, Success, Try}

import stoplog.error.Errors
import stoplog.format.Encoder
import stoplog.format.bulk.{BulkFormatName, BulkWriters}
import stoplog.util.UserObject

/** The target directory of a sink, and the encoding of its rows.
  *
  * @param path        the directory of the finished files, with the user's spelling
  * @param compression the compression of rows: `none`, `gzip`, `zstd`, `lz4`, `snappy` or `bzip2`; for a bulk
  *                    format see `passThrough`
  * @param passThrough options of only the format, with Spark's spelling
  */
private[stoplog] final case class OutputOptions(
    path: String,
    format: FormatChoice,
    compression: String,
    passThrough: Map[String, String]
)

private[stoplog] object OutputOptions extends OptionList(OptionGroup.Format) {

  val Path: Opt[String] = required("path", OptionType.directory, "/data/events")(
    "The directory of the finished files. `start(path)` and `save(path)` also set this option."
  )

  val FormatName: Opt[FormatChoice] = option("format", FormatChoice.named, "json")(
    "required",
    "The format of the files. `text` writes a single column of strings or bytes, a line per row. Every " +
      "other format accepts all writing options of Spark's data source of the format in addition to the " +
      "options on this page, with the same meaning, and also `parquet.…` and `orc.…` settings, and " +
      "`metadata.<key>` for metadata of the file. `sequencefile` writes one column of values, or two " +
      "columns of keys and values. A class extends `stoplog.format.Encoder` for rows, or " +
      "`stoplog.format.bulk.BulkWriterFactory` or `stoplog.format.bulk.BlockFormat` for blocks, and has a public " +
      "constructor without arguments; or a Scala object."
  )

  val Compression: Opt[String] =
    option("compression", OptionType.checked("a codec's name")(codecOfRows), "zstd")(
      "`none`; for bulk formats, the default of Spark's sink of the format",
      "The compression of the files. Rows: `none`, `gzip`, `zstd`, `lz4`, `snappy` or `bzip2`; each epoch " +
        "ends a member or frame, so very small micro-batches compress less well. Bulk formats: the codecs " +
        "of Spark for the format, inside the blocks."
    )

  val LineSep: Opt[String] = enter(
    OptionGroup.OfSpark.option("lineSep", OptionType.text, "\\r\\n")(
      "a line feed",
      "The end of a row in `text`, `json` and `csv`, as in Spark."
    )
  )

  val NullValue: Opt[String] = enter(
    OptionGroup.OfSpark.option("nullValue", OptionType.text.copy(mayBeEmpty = true), "NULL")(
      "`text`: a null is an error; `csv`: nothing between the separators",
      "The string that `text` and `csv` write for a null. Without this option, a null is an error in `text`."
    )
  )

  /** Parses the options of the output. The format is `None` if it is unset or invalid. */
  def parse(reader: OptionReader): (OutputOptions, Option[FormatChoice]) = {
    val path        = readPath(reader)
    val format      = formatOf(reader)
    val passThrough = PassThrough.parse(reader, format)
    val chosen      = format.getOrElse(FormatChoice.Rows("text"))
    (OutputOptions(path, chosen, compressionOfRows(reader, format), passThrough), format)
  }

  /** Returns the compression of a bulk format, if set: an option of the format. */
  def bulkCompression(reader: OptionReader, format: FormatChoice): Option[String] = format match {
    case FormatChoice.Bulk(bulk) =>
      reader.read(Compression)(OptionType.oneOf(bulk.compressions.map(name => name -> name)))
    case FormatChoice.UserBulk(_) =>
      reader.withoutEffect(Seq(Compression), "with a custom bulk writer")
      None
    case _ => None
  }

  private def readPath(reader: OptionReader): String =
    reader.text(Path).getOrElse {
      reader.errors.add(
        "path is not set: set it to a directory, or pass it to start(…) or save(…).",
        Errors.pathMissing()
      )
      ""
    }

  private def formatOf(reader: OptionReader): Option[FormatChoice] = reader.text(FormatName) match {
    case None =>
      val formats = FormatName.values.words.mkString(", ")
      reader.errors.add(s"format is not set: set it to $formats, or to a class.")
      None
    case Some(text) if text.startsWith("instance:") || text.contains('.') => own(reader)
    case Some(_)                                                          => reader.get(FormatName)
  }

  private def own(reader: OptionReader): Option[FormatChoice] =
    reader.reference(FormatName).flatMap { reference =>
      def tried[T](expected: Class[T]): Try[T] = Try(UserObject.load(reference, expected, FormatName.key))
      (tried(classOf[Encoder]), tried(classOf[BulkWriters])) match {
        case (Success(_), _)                  => Some(FormatChoice.UserEncoder(reference))
        case (_, Success(_))                  => Some(FormatChoice.UserBulk(reference))
        case (Failure(noEncoder), Failure(e)) =>
          reader.errors.addUserCode(FormatName, if (isOtherClass(noEncoder)) e else noEncoder)
          None
      }
    }

  private def isOtherClass(e: Throwable): Boolean = String.valueOf(e.getMessage).contains("is not a ")

  private def compressionOfRows(reader: OptionReader, format: Option[FormatChoice]): String = format match {
    case Some(FormatChoice.Bulk(_) | FormatChoice.UserBulk(_)) => "none"
    case _                                                     => reader.get(Compression).getOrElse("none")
  }

  private def codecOfRows(text: String): Either[String, String] =
    // Spark's sources use this name, too.
    if (text.equalsIgnoreCase("uncompressed")) Right("none")
    else
      OptionType.oneOf(Seq("none", "gzip", "zstd", "lz4", "snappy", "bzip2").map(name => name -> name))(text)
}

/** The encoding of rows selected by the options. */
private[stoplog] sealed trait FormatChoice extends Product with Serializable {

  /** Returns the options that define the format. */
  def toMap: Map[String, String]

  /** Returns the description for messages. */
  def described: String
}

private[stoplog] object FormatChoice {

  /** A built-in row format: `text`, `json` or `csv`. */
  final case class Rows(name: String) extends FormatChoice {
    override def toMap: Map[String, String] = Map(OutputOptions.FormatName.key -> name)
    override def described: String          = s"format = $name"
  }

  /** A user-defined [[stoplog.format.Encoder]].
    *
    * @param reference a class name, or an instance in the form of [[stoplog.util.UserObject.reference]]
    */
  final case class UserEncoder(reference: String) extends FormatChoice {
    override def toMap: Map[String, String] = Map(OutputOptions.FormatName.key -> reference)
    override def described: String          = "an own encoder"
  }

  /** A built-in bulk format. */
  final case class Bulk(format: BulkFormatName) extends FormatChoice {
    override def toMap: Map[String, String] = Map(OutputOptions.FormatName.key -> format.word)
    override def described: String          = s"format = ${format.word}"
  }

  /** A user-defined [[stoplog.format.bulk.BulkWriterFactory]] or [[stoplog.format.bulk.BlockFormat]].
    *
    * @param reference as for an encoder
    */
  final case class UserBulk(reference: String) extends FormatChoice {
    override def toMap: Map[String, String] = Map(OutputOptions.FormatName.key -> reference)
    override def described: String          = "a custom bulk writer"
  }

  /** The built-in formats by name. */
  private[options] def named: OptionType[FormatChoice] = {
    val rows  = Seq("text", "json", "csv").map(name => name -> Rows(name))
    val bulk  = BulkFormatName.all.map(name => name.word -> Bulk(name))
    val known = OptionType.words[FormatChoice](rows ++ bulk: _*)
    known.copy(
      described = s"${(rows ++ bulk).map { case (name, _) => s"`$name`" }.mkString(", ")}, or a class name",
      takesParameters = true
    )
  }
}
