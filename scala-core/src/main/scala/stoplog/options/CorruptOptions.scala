// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.options.{CorruptRegistry => Registry}

/** What becomes of what cannot be decoded. */
sealed trait OnCorrupt
object OnCorrupt {

  /** The query fails, with the file and the position. */
  case object Fail extends OnCorrupt

  /** It is left out, and noted in this directory. */
  final case class Quarantine(directory: String) extends OnCorrupt
}

/** The options of files that cannot be decoded, as entries of the [[SourceOptionRegistry]]. */
object CorruptRegistry extends OptionForms {

  val OnCorrupt: SinkOption = withDefault(
    OptionGroup.Files,
    "onCorrupt",
    "`fail` or `quarantine`",
    "fail",
    "What to do with what cannot be decoded. `fail`: end the query, with the file, the position and the cause. " +
      "`quarantine`: leave it out and note it under `quarantinePath`: one record, or where the way to the next one is " +
      "lost, the rest of the piece that is read. Then `mode` of JSON and CSV is `FAILFAST` unless it is set.",
    "quarantine"
  )

  val QuarantinePath: SinkOption = option(
    OptionGroup.Files,
    "quarantinePath",
    "directory",
    "required with `onCorrupt` = `quarantine`",
    "Where the notes go, as lines of JSON, each once however often a file is read. One directory for each query, and not " +
      "below `path`, unless hidden.",
    "/data/quarantine"
  )

  val all: Seq[SinkOption] = Seq(OnCorrupt, QuarantinePath)
}

private[options] object CorruptOptions {

  def parse(asked: AskedOptions, problems: Problems): OnCorrupt =
    asked.value(Registry.OnCorrupt)(AskedOptions.oneOf(Seq("fail", "quarantine").map(w => w -> w))) match {
      case "fail" =>
        asked.withoutEffect(Seq(Registry.QuarantinePath), "unless onCorrupt is set to quarantine")
        OnCorrupt.Fail
      case _ =>
        val directory = asked.text(Registry.QuarantinePath)
        if (directory.isEmpty)
          problems.add("onCorrupt = 'quarantine' needs quarantinePath: set it to a directory.")
        directory.filter(isRead(asked, _)).foreach { below =>
          problems.add(s"quarantinePath = '$below' is below path: the notes would be read.")
        }
        directory.fold[OnCorrupt](OnCorrupt.Fail)(OnCorrupt.Quarantine(_))
    }

  /** Spark's parsers make rows of nulls of what they cannot read, and nothing would be left to be noted. */
  def mode(
      onCorrupt: OnCorrupt,
      format: Option[SourceFormatName],
      set: Map[String, String]
  ): Map[String, String] =
    (onCorrupt, format) match {
      case (
            _: OnCorrupt.Quarantine,
            Some(SourceFormatName.Json | SourceFormatName.Csv | _: SourceFormatName.MultiLine)
          ) =>
        Map("mode" -> "FAILFAST") ++ set
      case _ => set
    }

  private def isRead(asked: AskedOptions, directory: String): Boolean =
    asked.text(SourceOptionRegistry.Path).exists { path =>
      SourceCleaning.isRead(new HadoopPath(directory).toUri.getPath, new HadoopPath(path).toUri.getPath)
    }
}
