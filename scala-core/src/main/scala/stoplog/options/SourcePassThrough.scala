// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.format.read.SourceFormatName
import stoplog.options.ContentOptions.{Charset, LineSep}

/** Sorts what is no option of the source alone: options of the format, a sink's, Spark's own, and mistakes. */
private[options] object SourcePassThrough {

  /** Spark's names for what is done for all formats alike here. */
  private val Replaced: Map[String, String] = Map(
    "encoding"    -> s"is set as ${Charset.key} here",
    "charset"     -> s"is set as ${Charset.key} here",
    "lineSep"     -> s"is set as ${LineSep.key} here",
    "compression" -> "is told by the names of the files",
    "codec"       -> "is told by the names of the files",
    "extension"   -> "is of no use for reading"
  )

  /** The format's options in Spark's spelling; all others are problems, or left alone. */
  def parse(asked: OptionReader, format: Option[SourceFormatName]): Map[String, String] = {
    val known = format.fold(SourceFormatName.all.flatMap(optionsOf))(optionsOf)
    asked.others
      .filterNot { case (key, _) => PassThrough.isSparks(key) }
      .flatMap { case (key, value) =>
        val option = known.find(_.equalsIgnoreCase(key))
        if (option.isEmpty && !isSinks(key)) asked.errors.add(unknown(key, value, known, format))
        option.map(_ -> value)
      }
      .toMap
  }

  /** Those of Spark's options that mean something here. */
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
      case (_, _, Some(name)) => s"$key is not an option of reading: did you mean $name?"
      case _                  => s"$key is not an option of reading: remove it."
    }
  }
}
