// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.options.{SourceOptionRegistry => Registry}
import stoplog.source.file.{Cleaning, PathRules}

/** Reads what becomes of files that have been read. */
private[options] object SourceCleaning {

  def parse(asked: AskedOptions, problems: Problems): Cleaning =
    asked.value(Registry.CleanSource)(
      AskedOptions.oneOf(Seq("off", "archive", "delete").map(w => w -> w))
    ) match {
      case "archive" => archive(asked, problems)
      case other     =>
        asked.withoutEffect(Seq(Registry.SourceArchiveDir), "unless cleanSource is set to archive")
        if (other == "delete") Cleaning.Delete else Cleaning.Keep
    }

  private def archive(asked: AskedOptions, problems: Problems): Cleaning =
    asked.text(Registry.SourceArchiveDir) match {
      case None =>
        problems.add("cleanSource = 'archive' needs sourceArchiveDir: set it to a directory.")
        Cleaning.Keep
      case Some(directory) =>
        val target = new HadoopPath(directory).toUri.getPath
        asked.text(Registry.Path).map(new HadoopPath(_).toUri.getPath).foreach { source =>
          if (isRead(target, source))
            problems.add(
              s"sourceArchiveDir = '$directory' is below path: what is archived would be read again."
            )
        }
        Cleaning.Archive(target)
    }

  /** Whether what is in the one directory is read by whoever reads the other. */
  def isRead(target: String, source: String): Boolean =
    s"$target/".startsWith(s"${source.stripSuffix("/")}/") &&
      !target.drop(source.length).split('/').filter(_.nonEmpty).exists(PathRules.isHidden)
}
