// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.json.JSONOptions

import stoplog.format.{CsvEncoder, JsonEncoder, TextEncoder}
import stoplog.format.bulk.BulkFormatName
import stoplog.format.read.SourceFormatName
import stoplog.options.ContentOptions.Charset
import stoplog.options.OutputOptions.{Compression, LineSep, NullValue}

/** Classifies unknown keys of a sink: options of the format, Spark's options, and mistakes. */
private[options] object PassThrough {

  /** Returns the format options with Spark's spelling. Other keys are problems, except [[isSparks]] keys. */
  def parse(reader: OptionReader, format: Option[FormatChoice]): Map[String, String] = {
    // With an invalid format, only options unknown to every format are reported.
    val known = format.fold(byFormat.values.flatten.toSeq)(of)
    val fit   = reader.others.filterNot { case (key, _) => isSparks(key) }.flatMap { case (key, value) =>
      val option = known.find(_.equalsIgnoreCase(key)).orElse(prefixed(key, format))
      if (option.isEmpty && !isOfSourcesBySession(key))
        reader.errors.add(OtherNames.ofSinks.problem(key).getOrElse(unknown(key, known, format)))
      option.map(_ -> value)
    }
    val passed = fit.toMap ++ shared(reader, known, format) ++
      format.flatMap(OutputOptions.bulkCompression(reader, _)).map(Compression.key -> _)
    for (why <- format.flatMap(refused(_, passed))) reader.errors.add(why)
    passed
  }

  /** Returns whether Spark itself adds the key to the options. For a read, this includes the paths. */
  def isSparks(key: String): Boolean =
    SparkOptions.isSparks(key) || ContentOptions.Paths.key.equalsIgnoreCase(key)

  /** Accepts read options from session settings, which Spark passes to sinks as well as to sources. */
  private def isOfSourcesBySession(key: String): Boolean =
    SourceOptionRegistry.all.exists(_.key.equalsIgnoreCase(key)) && SparkOptions.isOfSession(key)

  // Spark's names for `compression` and `partSuffix`, which here apply to all formats.
  private val replaced = Map("codec" -> Compression, "extension" -> PartOptions.PartSuffix)

  private val byFormat: Map[String, Seq[String]] = {
    def own(all: collection.Set[String]) =
      all.toSeq.sorted.filterNot(o => replaced.contains(o) || o == "compression")
    Map(
      "text" -> Seq(LineSep.key, NullValue.key, Charset.key),
      "json" -> own(JSONOptions.getAllOptions),
      "csv"  -> own(CSVOptions.getAllOptions)
    ) ++ BulkFormatName.all.map(bulk => bulk.word -> bulk.options)
  }

  /** Returns a key that is passed unchanged to the format's library. */
  private def prefixed(key: String, format: Option[FormatChoice]): Option[String] = format match {
    case Some(FormatChoice.Bulk(bulk)) => Option.when(bulk.prefixes.exists(key.startsWith))(key)
    case _                             => None
  }

  private def of(format: FormatChoice): Seq[String] = format match {
    case FormatChoice.Rows(name) => byFormat(name)
    case FormatChoice.Bulk(bulk) => bulk.options
    case _                       => Nil
  }

  private def unknown(key: String, known: Seq[String], format: Option[FormatChoice]): String = {
    val elsewhere = byFormat.collectFirst { case (name, all) if all.exists(_.equalsIgnoreCase(key)) => name }
    val instead   = replaced.collectFirst { case (name, option) if name.equalsIgnoreCase(key) => option.key }
    val meant     = Suggestion.of(key, SinkOptionRegistry.all.map(_.key) ++ known)
    (instead, elsewhere, meant) match {
      case (Some(option), _, _) => s"$key is not an option: use $option."
      case (_, Some(name), _)   => s"$key is an option of $name, and not of ${described(format)}: remove it."
      case (_, _, Some(name))   => s"$key is not an option: did you mean $name?"
      case _                    => s"$key is not an option: remove it."
    }
  }

  // Options of the registry shared with formats: all formats use the same names.
  private def shared(
      reader: OptionReader,
      known: Seq[String],
      format: Option[FormatChoice]
  ): Map[String, String] = {
    val ofFormat: Seq[Opt[_]] = Seq(LineSep, NullValue)
    reader.withoutEffect(ofFormat.filterNot(o => known.contains(o.key)), s"with ${described(format)}")
    (ofFormat :+ BucketOptions.TimeZone)
      .filter(o => known.contains(o.key))
      .flatMap(o => reader.textOrEmpty(o).filter(_.nonEmpty || o.values.mayBeEmpty).map(o.key -> _))
      .toMap
  }

  // Spark validates its options when it reads them, and throws for the first invalid option.
  private def refused(format: FormatChoice, passed: Map[String, String]): Option[String] =
    try {
      format match {
        case FormatChoice.Rows("json") => JsonEncoder(passed)
        case FormatChoice.Rows("csv")  => CsvEncoder(passed)
        case FormatChoice.Rows(_)      => TextEncoder(passed)
        case _                         => ()
      }
      None
    } catch {
      case NonFatal(e) =>
        Some(s"${described(Some(format))}: ${String.valueOf(e.getMessage).trim.stripSuffix(".")}.")
    }

  private def described(format: Option[FormatChoice]): String = format.fold("this format")(_.described)
}

/** Classifies unknown keys of a source: options of the format, of a sink, of Spark, and mistakes. */
private[options] object SourcePassThrough {

  /** Spark's names for settings that here are common to all formats. */
  private val Replaced: Map[String, String] = Map(
    "encoding"    -> s"cannot be set: use ${Charset.key}",
    "charset"     -> s"cannot be set: use ${Charset.key}",
    "lineSep"     -> s"cannot be set: use ${ContentOptions.LineSep.key}",
    "compression" -> "is detected from the file suffix",
    "codec"       -> "is detected from the file suffix",
    "extension"   -> "has no effect on reads"
  )

  /** Returns the format options with Spark's spelling; unknown keys are reported or ignored. */
  def parse(reader: OptionReader, format: Option[SourceFormatName]): Map[String, String] = {
    val known = format.fold(SourceFormatName.all.flatMap(optionsOf))(optionsOf)
    reader.others
      .filterNot { case (key, _) => PassThrough.isSparks(key) }
      .flatMap { case (key, value) =>
        val option = known.find(_.equalsIgnoreCase(key))
        if (option.isEmpty && !isSinks(key))
          reader.errors.add(OtherNames.ofSources.problem(key).getOrElse(unknown(key, value, known, format)))
        option.map(_ -> value)
      }
      .toMap
  }

  /** Returns the options of Spark's reader that are supported here. */
  private def optionsOf(format: SourceFormatName): Seq[String] =
    format.sparkOptions.filterNot(Replaced.contains).toSeq.sorted

  private def isSinks(key: String): Boolean = SinkOptionRegistry.all.exists(_.key.equalsIgnoreCase(key)) ||
    OptionReader.parameterOf(key, SinkOptionRegistry.all).isDefined

  private def unknown(
      key: String,
      value: String,
      known: Seq[String],
      format: Option[SourceFormatName]
  ): String = {
    val instead   = Replaced.collectFirst { case (name, why) if name.equalsIgnoreCase(key) => why }
    val elsewhere = SourceFormatName.all.find(optionsOf(_).exists(_.equalsIgnoreCase(key)))
    val meant     = Suggestion.of(key, SourceOptionRegistry.all.map(_.key) ++ known)
    (instead, elsewhere, meant) match {
      case (Some(why), _, _)   => s"$key = '$value' $why."
      case (_, Some(other), _) =>
        s"$key is an option of ${other.word}, and not of ${format.fold("this format")(_.word)}: remove it."
      case (_, _, Some(name)) => s"$key is not an option of the source: did you mean $name?"
      case _                  => s"$key is not an option of the source: remove it."
    }
  }
}
