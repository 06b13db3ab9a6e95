// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.Locale

import stoplog.error.{Redaction, StoplogArgumentException}

/** The options of one call: each is read by the registry's name, and what is wrong goes to `problems`.
  *
  * @param all
  *   in any spelling of the keys
  * @param registry
  *   the options that there are
  * @param ownClasses
  *   those of them that may name a class of the user's, to which `<option>.<name>` is a parameter
  */
private[stoplog] final class AskedOptions(
    all: Seq[(String, String)],
    problems: Problems,
    registry: Seq[SinkOption] = SinkOptionRegistry.all,
    ownClasses: Seq[SinkOption] = Nil
) {
  private val called = scala.collection.mutable.Set.empty[SinkOption]

  /** What was set. An empty text takes back a session's default, except where [[textOrEmpty]] is asked. */
  def text(option: SinkOption): Option[String] = textOrEmpty(option).filter(_.trim.nonEmpty)

  def textOrEmpty(option: SinkOption): Option[String] = values.get(lower(option.key))

  def isSet(option: SinkOption): Boolean = text(option).isDefined

  /** The value that was set, if it was and if it can be read. */
  def optional[T](option: SinkOption)(parse: String => Either[String, T]): Option[T] =
    text(option).flatMap { text =>
      val parsed = parse(text)
      parsed.left.foreach(why => problems.add(s"${option.key} = '${AskedOptions.shown(option, text)}' $why."))
      parsed.toOption
    }

  /** The value that was set, or else the registry's default. */
  def value[T](option: SinkOption)(parse: String => Either[String, T]): T =
    optional(option)(parse).getOrElse(defaultOf(option)(parse))

  def choice[T <: Choice](option: SinkOption, choices: Seq[T]): T =
    value(option)(AskedOptions.oneOf(choices.map(c => c.word -> c)))

  /** The class, with its parameters, or the instance that an option names, in the form that [[UserObject.load]] reads. */
  def reference(option: SinkOption): Option[String] = text(option).map(_.trim).map { name =>
    called += option
    val told = parameters.collect { case (of, parameter, value) if of == option => parameter -> value }
    if (told.nonEmpty && UserObject.isInstance(name)) {
      problems.add(
        s"${option.key} is an instance, which takes no parameters: remove ${option.key}.${told.head._1}."
      )
      name
    } else UserObject.named(name, told.toMap)
  }

  /** Refuses parameters of what is no class of the user's. To be called when all classes were asked for. */
  def refuseIdleParameters(): Unit =
    for ((option, name, _) <- parameters if !called(option))
      problems.add(
        s"${option.key}.$name is a parameter of a class, and ${option.key} names none: remove it, or set ${option.key} to " +
          "the class."
      )

  /** The parameters of classes of the user's, as options. */
  def parameterValues: Map[String, String] =
    parameters.map { case (option, name, value) => s"${option.key}.$name" -> value }.toMap

  /** An object of the user, or none if there is a problem with it. */
  def userObject[T](option: SinkOption, reference: String, expected: Class[T]): Option[T] =
    try Some(UserObject.load(reference, expected, option.key))
    catch {
      case e: StoplogArgumentException =>
        val said = e.getMessageParameters
        problems.add(s"${option.key} names ${said.get("reference")}: ${said.get("why")}.", e)
        None
    }

  /** Options that have no effect beside the others: a mistake, not something to pass over in silence. */
  def withoutEffect(options: Seq[SinkOption], because: String): Unit =
    for (option <- options if textOrEmpty(option).exists(_.nonEmpty))
      problems.add(s"${option.key} has no effect $because: remove it.")

  /** The keys that are no option of the registry, as they were spelled, with their values. */
  def others: Seq[(String, String)] =
    distinct.filterNot { case (key, _) => registered.contains(lower(key)) || parameter(key).isDefined }

  /** The options of the registry that were set, in its spelling. */
  def registeredValues: Map[String, String] =
    distinct
      .flatMap { case (key, value) => registered.get(lower(key)).map(_ -> value) }
      .collect {
        case (option, value) if value.nonEmpty || option.mayBeEmpty => option.key -> value
      }
      .toMap

  private def defaultOf[T](option: SinkOption)(parse: String => Either[String, T]): T =
    option.default.map(parse).flatMap(_.toOption).getOrElse {
      throw new IllegalStateException(s"the default of ${option.key} cannot be read")
    }

  private lazy val parameters: Seq[(SinkOption, String, String)] = distinct.flatMap { case (key, value) =>
    parameter(key).map { case (option, name) => (option, name, value) }
  }

  private def parameter(key: String): Option[(SinkOption, String)] =
    AskedOptions.parameterOf(key, ownClasses).map(option => option -> key.drop(option.key.length + 1))

  private def lower(key: String): String = key.toLowerCase(Locale.ROOT)

  private lazy val registered = registry.map(o => lower(o.key) -> o).toMap

  private lazy val values = distinct.map { case (key, value) => lower(key) -> value }.toMap

  // Spark's own maps cannot hold one key twice, but an ordinary map can.
  private lazy val distinct: Seq[(String, String)] =
    all.filter(_._2 != null).groupBy(o => lower(o._1)).values.toSeq.sortBy(_.head._1).map { same =>
      if (same.map(_._2).distinct.size > 1)
        problems.add(s"${same.map(_._1).mkString(" and ")} are one option and have different values.")
      same.head
    }
}

private[stoplog] object AskedOptions {

  /** The option of whose class this is a parameter. */
  def parameterOf(key: String, ownClasses: Seq[SinkOption]): Option[SinkOption] = ownClasses.find { option =>
    key.length > option.key.length + 1 && key.regionMatches(
      true,
      0,
      s"${option.key}.",
      0,
      option.key.length + 1
    )
  }

  /** Reads one of a few words, in upper or lower case. */
  def oneOf[T](words: Seq[(String, T)])(text: String): Either[String, T] =
    words.collectFirst { case (word, value) if word.equalsIgnoreCase(text.trim) => value }.toRight {
      val known = words.map(_._1)
      s"is not one of ${known.mkString(", ")}${Suggestion.of(text.trim, known).fold("")("; perhaps " + _)}"
    }

  /** A value that cannot be read: what was to be a URL has users and secrets anywhere. */
  private def shown(option: SinkOption, text: String): String =
    if (option.key.toLowerCase(Locale.ROOT).endsWith("url")) Redaction.url(text)
    else Redaction.value(option.key, text)

  def wholeNumber(text: String): Either[String, Long] =
    text.trim.toLongOption.filter(_ > 0).toRight("is not a whole number more than 0")
}
