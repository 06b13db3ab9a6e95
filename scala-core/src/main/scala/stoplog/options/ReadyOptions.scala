// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.{ReadyRegistry => Registry}
import stoplog.source.file.{FileFinder, Readiness, ReadyMarker}

/** The options that say which files are complete, as entries of the [[SourceOptionRegistry]]. All that is asked for has to
  * hold.
  */
object ReadyRegistry extends OptionForms {

  val MinFileAge: SinkOption = option(
    OptionGroup.Files,
    "minFileAge",
    "time",
    "files are read as soon as they are there",
    "A file to which something was written within this time is left for later: it may not be complete.",
    "30s"
  )

  val StableFor: SinkOption = option(
    OptionGroup.Files,
    "stableFor",
    "time",
    "files are read as soon as they are there",
    "A file is read when two listings, so far apart or more, have found it with the same length. Only for streams that go " +
      "on: a batch query, and the trigger `availableNow`, list once and find no such file.",
    "10s"
  )

  val ReadyMarker: SinkOption = option(
    OptionGroup.Files,
    "readyMarker",
    "name of a file, or a pattern with `{name}` in it",
    "files are read as soon as they are there",
    "Files are read when this file is there too: `_SUCCESS` in their directory, or `{name}.done` beside each. Markers " +
      "themselves are never read.",
    "{name}.done"
  )

  val all: Seq[SinkOption] = Seq(MinFileAge, StableFor, ReadyMarker)
}

private[options] object ReadyOptions {

  def parse(asked: AskedOptions): Readiness = Readiness(
    asked.optional(Registry.MinFileAge)(TimeSpan.parse).getOrElse(Readiness.atOnce.leastAgeMillis),
    asked.optional(Registry.StableFor)(TimeSpan.parse),
    asked.optional(Registry.ReadyMarker)(marker)
  )

  /** Who finds files in a way of their own tells those that are complete. */
  def refuse(asked: AskedOptions, finder: Option[FileFinder]): Unit =
    if (finder.exists(_ != FileFinder.NonSplitting))
      asked.withoutEffect(Seq(Registry.ReadyMarker), "with a fileEnumerator of one's own")

  private def marker(text: String): Either[String, ReadyMarker] = {
    val name = text.trim
    val at   = name.indexOf(Name)
    if (name.contains('/')) Left("is not the name of a file in the same directory")
    else if (at < 0) Right(ReadyMarker.InDirectory(name))
    else if (name == Name) Left("is the name of each file itself")
    else if (name.indexOf(Name, at + 1) > 0) Left("has {name} twice")
    else Right(ReadyMarker.Beside(name.take(at), name.drop(at + Name.length)))
  }

  private final val Name = "{name}"
}
