// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** One option, as the parser, the reference page and the Python package know it.
  *
  * @param key
  *   its name; upper and lower case are the same
  * @param kind
  *   what its value may be, with the unit
  * @param default
  *   the value that is used when it is not set, if there is one such value
  * @param unset
  *   in words, what holds when it is not set
  * @param meaning
  *   what it does, in sentences
  * @param example
  *   a value
  * @param since
  *   the first version that knows it
  * @param group
  *   the heading under which it is listed
  */
final case class SinkOption private[stoplog] (
    key: String,
    kind: String,
    default: Option[String],
    unset: String,
    meaning: String,
    example: String,
    since: String,
    group: OptionGroup
) {

  /** Whether an empty text is a value; for any other option it takes back the session's default. */
  private[options] def mayBeEmpty: Boolean =
    this == SinkOptionRegistry.PartSuffix || this == SinkOptionRegistry.NullValue
}

/** A heading of a page of options. Connectors have some of their own. */
abstract class OptionGroup private[stoplog] (val title: String) extends Product with Serializable

object OptionGroup {
  case object Format     extends OptionGroup("Where and how")
  case object Rolling    extends OptionGroup("When a part is closed")
  case object Compaction extends OptionGroup("Merging small finished parts")
  case object Bucket     extends OptionGroup("Which directory a row goes to")
  case object Name       extends OptionGroup("Names")
  case object Writer     extends OptionGroup("Writers")
  case object Recovery   extends OptionGroup("Ownership, end and failures")
  case object Complete   extends OptionGroup("Complete buckets and manifests")
  case object Read       extends OptionGroup("Reading the sink's state")

  val all: Seq[OptionGroup] =
    Seq(Format, Rolling, Compaction, Bucket, Name, Writer, Recovery, Complete, Read)

  // Of a source.
  case object Source    extends OptionGroup("What is read")
  case object Files     extends OptionGroup("Which files, and when")
  case object Admission extends OptionGroup("How much a micro-batch reads")

  val ofSource: Seq[OptionGroup] = Seq(Source, Files, Admission)
}
