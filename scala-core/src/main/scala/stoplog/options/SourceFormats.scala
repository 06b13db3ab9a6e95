// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.nio.charset.Charset

import stoplog.format.read.{DelimitedRows, OwnRecords, RowFormat}
import stoplog.options.{SourceFormatRegistry => Formats, SourceOptionRegistry => Registry}
import stoplog.source.format.LengthPrefix

/** Reads what the files of a source are. */
private[options] object SourceFormats {

  /** The words that `format` may be, besides the name of a class. */
  val Words: Seq[String] = SourceFormatName.all.map(_.word) :+ Delimited

  /** None if that is a problem. */
  def parse(asked: AskedOptions, problems: Problems): Option[SourceFormatName] = {
    val format = asked.text(Registry.FormatName) match {
      case None =>
        problems.add(
          s"format is not set: set it to one of ${Words.mkString(", ")}, or to a class, or set view to see the state of " +
            "a sink."
        )
        None
      case Some(text) if text.trim.equalsIgnoreCase(Delimited)              => delimited(asked)
      case Some(text) if text.startsWith("instance:") || text.contains('.') => own(asked, problems)
      case Some(_)                                                          => named(asked)
    }
    format.foreach(refuse(asked, _))
    format
  }

  /** The options of Spark's own reader that come from options of the source. */
  def toSpark(format: Option[SourceFormatName], charset: Charset): Map[String, String] = format match {
    case Some(_: SourceFormatName.MultiLine) if charset != SourceOptions.utf8 =>
      Map("encoding" -> charset.name)
    case _ => Map.empty // without it, Spark's readers know UTF-8 with and without a byte order mark
  }

  private def named(asked: AskedOptions): Option[SourceFormatName] = {
    val words = SourceFormatName.all.map(f => f.word -> f) :+ (Delimited -> SourceFormatName.Text)
    asked.optional(Registry.FormatName)(AskedOptions.oneOf(words)).map {
      case SourceFormatName.Json if isMultiLine(asked) => SourceFormatName.MultiLineJson
      case SourceFormatName.Csv if isMultiLine(asked)  => SourceFormatName.MultiLineCsv
      case other                                       => other
    }
  }

  private def isMultiLine(asked: AskedOptions): Boolean = asked.others.exists { case (key, value) =>
    key.equalsIgnoreCase("multiLine") && value.trim.equalsIgnoreCase("true")
  }

  private def delimited(asked: AskedOptions): Option[SourceFormatName] = {
    val prefix = asked.value(Formats.LengthPrefix)(AskedOptions.oneOf(prefixes))
    val most   = asked.value(Formats.MaxRecordSize) { text =>
      ByteSize.parse(text).filterOrElse(_ <= Int.MaxValue - 16, "is more than an array can hold")
    }
    OwnRecords.of(new DelimitedRows(prefix, most.toInt)).map(SourceFormatName.Records(Delimited, _))
  }

  private def own(asked: AskedOptions, problems: Problems): Option[SourceFormatName] =
    asked
      .reference(Registry.FormatName)
      .flatMap(asked.userObject(Registry.FormatName, _, classOf[RowFormat[_]]))
      .flatMap { format =>
        val records = OwnRecords.of(format)
        if (records.isEmpty)
          problems.add(
            s"format names ${format.getClass.getName}, which is no StreamFormat, SimpleStreamFormat or BulkFormat of " +
              "stoplog.source.format."
          )
        records.map(SourceFormatName.Records(format.getClass.getName, _))
      }

  private def refuse(asked: AskedOptions, format: SourceFormatName): Unit = {
    val ofLines = format match {
      case _: SourceFormatName.MultiLine                            => Seq(Registry.LineSep)
      case _: SourceFormatName.Blocks | _: SourceFormatName.Records => Seq(Registry.Charset, Registry.LineSep)
      case _                                                        => Nil
    }
    asked.withoutEffect(ofLines, s"with ${format.word}")
    if (format.word != Delimited) asked.withoutEffect(Formats.ofLengths, s"without format = $Delimited")
  }

  private final val Delimited = "lengthDelimited"

  private val prefixes = Seq(
    "varint"  -> LengthPrefix.Varint,
    "int32be" -> LengthPrefix.Int32BigEndian,
    "int32le" -> LengthPrefix.Int32LittleEndian
  )
}
