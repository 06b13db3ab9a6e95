// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.Locale

import scala.collection.mutable

import stoplog.error.{Errors, Redaction, StoplogArgumentException}
import stoplog.util.UserObject

/** Reads the options of one call, each through its `Opt`, and collects problems in `errors`.
  *
  * @param all      the options, with keys in any case
  * @param registry the known options
  */
private[stoplog] final class OptionReader(
    all: Seq[(String, String)],
    registry: Seq[Opt[_]],
    val errors: OptionErrors = new OptionErrors
) {
  private val called = mutable.Set.empty[Opt[_]]

  /** Returns the value set by the user, or the default. */
  def apply[T](option: Opt[T]): T = get(option).orElse(option.default).getOrElse {
    throw new IllegalStateException(s"the option ${option.key} has no default")
  }

  /** Returns the value set by the user, if present and valid. */
  def get[T](option: Opt[T]): Option[T] = read(option)(option.values.parse)

  /** Returns the value set by the user, with a parser that depends on other options. */
  def read[T](option: Opt[_])(parse: String => Either[String, T]): Option[T] =
    text(option).flatMap { text =>
      val parsed = parse(text)
      parsed.left.foreach(why => errors.add(s"${option.key} = '${OptionReader.shown(option, text)}' $why."))
      parsed.toOption
    }

  /** Returns the text set by the user. Empty text removes a session's default, except in [[textOrEmpty]]. */
  def text(option: Opt[_]): Option[String] = textOrEmpty(option).filter(_.trim.nonEmpty)

  def textOrEmpty(option: Opt[_]): Option[String] = values.get(lower(option.key))

  def isSet(option: Opt[_]): Boolean = text(option).isDefined

  /** Returns the user's class with parameters, or the user's instance, as input of [[UserObject.load]]. */
  def reference(option: Opt[_]): Option[String] = text(option).map(_.trim).map { name =>
    called += option
    val passed = parameters.collect { case (of, parameter, value) if of == option => parameter -> value }
    if (passed.nonEmpty && UserObject.isInstance(name)) {
      errors.add(
        s"${option.key} is an instance, which has no parameters: remove ${option.key}.${passed.head._1}."
      )
      name
    } else UserObject.named(name, passed.toMap)
  }

  /** Rejects parameters of values other than user classes. Called after all classes are read. */
  def refuseIdleParameters(): Unit =
    for ((option, name, _) <- parameters if !called(option))
      errors.add(
        s"${option.key}.$name is a parameter of a class, and ${option.key} is not a class: remove it, or " +
          s"set ${option.key} to the class."
      )

  /** Returns a user object, or `None` and a problem if the object cannot be created. */
  def userObject[T](option: Opt[_], reference: String, expected: Class[T]): Option[T] =
    try Some(UserObject.load(reference, expected, option.key))
    catch {
      case e: StoplogArgumentException =>
        errors.addUserCode(option, e)
        None
    }

  /** Reports options that have no effect in combination with other options. */
  def withoutEffect(options: Seq[Opt[_]], because: String): Unit =
    for (option <- options if textOrEmpty(option).exists(_.nonEmpty))
      errors.add(s"${option.key} has no effect $because: remove it.")

  /** Returns keys outside of the registry, with the user's spelling, and their values. */
  def others: Seq[(String, String)] =
    distinct.filterNot { case (key, _) => registered.contains(lower(key)) || parameter(key).isDefined }

  /** Returns Spark's `checkpointLocation`, which is present only if a user has set it as an option. */
  def checkpointLocation: Option[String] = others.collectFirst {
    case (key, value) if key.equalsIgnoreCase("checkpointLocation") => value
  }

  /** Returns the registered options set by the user, with the registry's spelling. */
  def registeredValues: Map[String, String] =
    distinct
      .flatMap { case (key, value) => registered.get(lower(key)).map(_ -> value) }
      .collect { case (option, value) if value.nonEmpty || option.values.mayBeEmpty => option.key -> value }
      .toMap

  /** Returns the parameters `<option>.<name>` of an option, by name, with the user's spelling. */
  def parametersOf(option: Opt[_]): Seq[(String, String)] = {
    called += option
    parameters.collect { case (of, name, value) if of == option && value.trim.nonEmpty => name -> value }
  }

  /** Returns the parameters of user classes as options. */
  def parameterValues: Map[String, String] =
    parameters.map { case (option, name, value) => s"${option.key}.$name" -> value }.toMap

  private lazy val parameters: Seq[(Opt[_], String, String)] = {
    val passed = distinct.flatMap { case (key, value) =>
      parameter(key).map { case (option, name) => (option, name, value) }
    }
    passed ++ timeoutsOfPython(passed)
  }

  /** User code in Python has the common timeout, unless its parameters have a timeout. */
  private def timeoutsOfPython(passed: Seq[(Opt[_], String, String)]): Seq[(Opt[_], String, String)] = for {
    common           <- textOrEmpty(PythonOptions.Timeout).filter(_.trim.nonEmpty).toSeq
    (option, key, _) <- passed if lower(key).endsWith(PythonOptions.Pickled)
    own = key.dropRight(PythonOptions.Pickled.length) + PythonOptions.Timeout.key
    if !passed.exists { case (of, name, _) => of == option && name.equalsIgnoreCase(own) }
  } yield (option, own, common)

  private def parameter(key: String): Option[(Opt[_], String)] =
    OptionReader.parameterOf(key, registry).map(option => option -> key.drop(option.key.length + 1))

  private def lower(key: String): String = key.toLowerCase(Locale.ROOT)

  private lazy val registered: Map[String, Opt[_]] = registry.map(o => lower(o.key) -> o).toMap

  private lazy val values = distinct.map { case (key, value) => lower(key) -> value }.toMap

  // Spark's own maps cannot hold one key twice, but an ordinary map can.
  private lazy val distinct: Seq[(String, String)] =
    all.filter(_._2 != null).groupBy(o => lower(o._1)).values.toSeq.sortBy(_.head._1).map { same =>
      if (same.map(_._2).distinct.size > 1)
        errors.add(s"${same.map(_._1).mkString(" and ")} are one option and have different values.")
      same.head
    }
}

private[stoplog] object OptionReader {

  /** Returns the option whose class has this parameter. */
  def parameterOf(key: String, registry: Seq[Opt[_]]): Option[Opt[_]] = registry.find { option =>
    val prefix = s"${option.key}."
    option.values.takesParameters && key.length > prefix.length &&
    key.regionMatches(true, 0, prefix, 0, prefix.length)
  }

  /** Redacts an invalid value: in a malformed URL, users and secrets may occur anywhere. */
  private def shown(option: Opt[_], text: String): String =
    if (option.key.toLowerCase(Locale.ROOT).endsWith("url")) Redaction.url(text)
    else Redaction.value(option.key, text)
}

/** The problems in the options of one call, reported together. */
private[stoplog] final class OptionErrors {

  /** @param sentence ends with a full stop
    */
  def add(sentence: String): Unit = found += ((sentence, None))

  /** Adds a problem with a specific error condition, which is thrown for a single problem. */
  def add(sentence: String, error: StoplogArgumentException): Unit = found += ((sentence, Some(error)))

  /** Adds the problem of a user object. */
  def addUserCode(option: Opt[_], e: Throwable): Unit = e match {
    case known: StoplogArgumentException =>
      val said = known.getMessageParameters
      add(s"${option.key} names ${said.get("reference")}: ${said.get("why")}.", known)
    case other => throw other
  }

  /** Returns all problems, each a sentence. */
  def sentences: Seq[String] = found.toSeq.map { case (sentence, _) => sentence }

  def throwIfAny(): Unit = found.toSeq match {
    case Seq()                 => ()
    case Seq((_, Some(error))) => throw error
    case _                     => throw Errors.invalidOptions(sentences)
  }

  private val found = mutable.Buffer.empty[(String, Option[StoplogArgumentException])]
}

/** Suggests the known name closest to an unknown name. */
private[stoplog] object Suggestion {

  def of(name: String, known: Seq[String]): Option[String] = {
    val unknown = name.toLowerCase(Locale.ROOT)
    nearest(unknown, known)
      .collect {
        case (distance, candidate)
            if distance <= math.max(2, unknown.length / 3) && distance < unknown.length =>
          candidate
      }
      .orElse(beginning(unknown, known))
      .orElse(containing(unknown, known))
  }

  /** Returns the known name that differs from the name by one or two letters, if any. Unlike [[of]], the
    * result justifies a refusal of names that are not all known.
    */
  def misspelled(name: String, known: Seq[String]): Option[String] =
    nearest(name.toLowerCase(Locale.ROOT), known).collect {
      case (distance, candidate) if distance <= 2 => candidate
    }

  /** Returns the nearest name with its distance. */
  private def nearest(unknown: String, known: Seq[String]): Option[(Int, String)] =
    known.map(candidate => edits(unknown, candidate.toLowerCase(Locale.ROOT)) -> candidate).minOption

  // The suffix of files, such as gz for gzip.
  private def beginning(unknown: String, known: Seq[String]): Option[String] =
    known.filter(_.toLowerCase(Locale.ROOT).startsWith(unknown)) match {
      case Seq(one) if unknown.length >= 2 => Some(one)
      case _                               => None
    }

  // A shortened name, such as partSize for maxPartSize.
  private def containing(unknown: String, known: Seq[String]): Option[String] =
    if (unknown.length < 4) None
    else known.filter(_.toLowerCase(Locale.ROOT).contains(unknown)).sortBy(_.length).headOption

  /** Returns the number of inserted, deleted, changed, and swapped letters. */
  private def edits(from: String, to: String): Int = {
    val costs =
      Array.tabulate(from.length + 1, to.length + 1)((i, j) => if (i == 0) j else if (j == 0) i else 0)
    for {
      i <- 1 to from.length
      j <- 1 to to.length
    } {
      val change  = costs(i - 1)(j - 1) + (if (from(i - 1) == to(j - 1)) 0 else 1)
      val swapped = i > 1 && j > 1 && from(i - 1) == to(j - 2) && from(i - 2) == to(j - 1)
      val swap    = if (swapped) costs(i - 2)(j - 2) + 1 else Int.MaxValue
      costs(i)(j) = Seq(change, costs(i - 1)(j) + 1, costs(i)(j - 1) + 1, swap).min
    }
    costs(from.length)(to.length)
  }
}
