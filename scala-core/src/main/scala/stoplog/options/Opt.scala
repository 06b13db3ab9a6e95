// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** An option: its name, type, default, and entry in the reference.
  *
  * The groups of [[OptionGroup]] create options. The parser, the reference pages and the Python package use
  * these definitions as their only source.
  *
  * @param key     the name, case-insensitive
  * @param group   the heading in the reference
  * @param values  the type: valid values, and their conversion from text
  * @param default the value of an unset option, if such a value exists
  * @param unset   the behaviour of an unset option, as text
  * @param doc     the effect of the option, in sentences
  * @param example a value with a user's spelling
  */
private[stoplog] final class Opt[T](
    val key: String,
    val group: OptionGroup,
    val values: OptionType[T],
    val default: Option[T],
    val unset: String,
    val doc: String,
    val example: String
) {

  /** Returns the default with a user's spelling. */
  def defaultText: Option[String] = default.map(values.render)

  override def toString: String = key
}

/** A heading of an options page, which creates its options. Connectors have custom groups. */
private[stoplog] abstract class OptionGroup(val title: String) extends Product with Serializable {

  /** Creates a required option. */
  def required[T](key: String, values: OptionType[T], example: String)(doc: String): Opt[T] =
    option(key, values, example)("required", doc)

  /** Creates an option with a default value. */
  def withDefault[T](key: String, values: OptionType[T], default: T, example: String)(doc: String): Opt[T] =
    new Opt(key, this, values, Some(default), s"`${values.render(default)}`", doc, example)

  /** Creates an option whose default behaviour does not correspond to a value. */
  def option[T](key: String, values: OptionType[T], example: String)(unset: String, doc: String): Opt[T] =
    new Opt(key, this, values, None, unset, doc, example)
}

/** The options of one part of a page. Each definition adds its option to `all`, in the order of definitions.
  *
  * @param group the default heading
  */
private[options] abstract class OptionList(group: OptionGroup) {
  private var entered = Vector.empty[Opt[_]]

  final def all: Seq[Opt[_]] = entered

  protected final def required[T](key: String, values: OptionType[T], example: String)(doc: String): Opt[T] =
    enter(group.required(key, values, example)(doc))

  protected final def withDefault[T](key: String, values: OptionType[T], default: T, example: String)(
      doc: String
  ): Opt[T] = enter(group.withDefault(key, values, default, example)(doc))

  /** Creates an option with an enumeration of words. The first word is the default. */
  protected final def choice[T](key: String, words: (String, T)*)(example: String, doc: String): Opt[T] =
    withDefault(key, OptionType.words(words: _*), words.head._2, example)(doc)

  protected final def option[T](key: String, values: OptionType[T], example: String)(
      unset: String,
      doc: String
  ): Opt[T] = enter(group.option(key, values, example)(unset, doc))

  protected final def enter[T](option: Opt[T]): Opt[T] = {
    entered :+= option
    option
  }
}

private[stoplog] object OptionGroup {
  case object Format     extends OptionGroup("Where and how")
  case object Rolling    extends OptionGroup("When a part is closed")
  case object Compaction extends OptionGroup("Compaction of small finished parts")
  case object Bucket     extends OptionGroup("Which directory a row goes to")
  case object Name       extends OptionGroup("Names")
  case object Writer     extends OptionGroup("Writers")
  case object Recovery   extends OptionGroup("Ownership, end and failures")
  case object Complete   extends OptionGroup("Complete buckets and manifests")
  case object Announce   extends OptionGroup("Announcements")
  case object Read       extends OptionGroup("Reading the sink's state")

  val all: Seq[OptionGroup] =
    Seq(Format, Rolling, Compaction, Bucket, Name, Writer, Recovery, Complete, Announce, Read)

  /** Options of Spark, with the same name and meaning here. They have no row on a page. */
  case object OfSpark extends OptionGroup("Spark's options")

  /** Options that only builders set. */
  case object Internal extends OptionGroup("Internal")

  // Groups of a source.
  case object Source    extends OptionGroup("What is read")
  case object Files     extends OptionGroup("Which files, and when")
  case object Admission extends OptionGroup("How much a micro-batch reads")

  val ofSource: Seq[OptionGroup] = Seq(Source, Files, Admission)
}
