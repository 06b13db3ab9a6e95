// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.OptionGroup.Files
import stoplog.source.file.FileFinder

/** How the files of a source are found, as an entry of the [[SourceOptionRegistry]], and how it is read. */
object SourceFinding extends OptionForms {

  val FileEnumerator: SinkOption = withDefault(
    Files,
    "fileEnumerator",
    "`blockSplitting`, `nonSplitting`, or a class name",
    "blockSplitting",
    "How files are found. `blockSplitting`: all below `path`, large ones in pieces. `nonSplitting`: the same, each in one " +
      "piece. A class: a way of one's own, which extends `stoplog.source.file.FileFinder` and has a public constructor " +
      "without arguments.",
    "com.example.ManifestFinder"
  )

  /** None for the listing that there is without. */
  private[options] def parse(asked: AskedOptions): Option[FileFinder] =
    asked.text(FileEnumerator).map(_.trim) match {
      case None                                                             => None
      case Some(name) if name.startsWith("instance:") || name.contains('.') =>
        asked.reference(FileEnumerator).flatMap(asked.userObject(FileEnumerator, _, classOf[FileFinder]))
      case _ =>
        asked.value(FileEnumerator)(AskedOptions.oneOf(words))
    }

  private val words = Seq("blockSplitting" -> None, "nonSplitting" -> Some(FileFinder.NonSplitting))
}
