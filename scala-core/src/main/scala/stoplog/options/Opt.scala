// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** One option: its name, the values that it takes, and its line in the reference.
  *
  * The groups of [[OptionGroup]] make options; the parser, the reference pages and the Python package take all that they
  * know of an option from here.
  *
  * @param key     its name; upper and lower case are the same
  * @param group   the heading under which the reference lists it
  * @param values  what a value may be, and how a text is read as one
  * @param default the value of the option where a user does not set it, if there is one such value
  * @param unset   in words, what holds where a user does not set it
  * @param doc     what it does, in sentences
  * @param example a value, as a user writes it
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

  /** The first release that knows the option. */
  def since: String = "0.1.0"

  /** The default as a user would write it. */
  def defaultText: Option[String] = default.map(values.render)

  override def toString: String = key
}

/** A heading of a page of options, which makes the options below it. Connectors have groups of their own. */
private[stoplog] abstract class OptionGroup(val title: String) extends Product with Serializable {

  /** An option that a user has to set. */
  def required[T](key: String, values: OptionType[T], example: String)(doc: String): Opt[T] =
    option(key, values, example)("required", doc)

  /** An option that has one value where a user does not set it. */
  def withDefault[T](key: String, values: OptionType[T], default: T, example: String)(doc: String): Opt[T] =
    new Opt(key, this, values, Some(default), s"`${values.render(default)}`", doc, example)

  /** An option without which something holds that is no value of it. */
  def option[T](key: String, values: OptionType[T], example: String)(unset: String, doc: String): Opt[T] =
    new Opt(key, this, values, None, unset, doc, example)
}

/** The options of one part of a page: each is on the list `all` from its definition on, in the order of the definitions.
  *
  * @param group the heading of those that name no other
  */
private[options] abstract class OptionList(group: OptionGroup) {
  private var entered = Vector.empty[Opt[_]]

  final def all: Seq[Opt[_]] = entered

  protected final def required[T](key: String, values: OptionType[T], example: String)(doc: String): Opt[T] =
    enter(group.required(key, values, example)(doc))

  protected final def withDefault[T](key: String, values: OptionType[T], default: T, example: String)(
      doc: String
  ): Opt[T] = enter(group.withDefault(key, values, default, example)(doc))

  /** An option of a few words, of which the first is the default. */
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
