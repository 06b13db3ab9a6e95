// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.Locale

/** Sizes as Spark writes them: `128m`, `1g`, `64 MiB`, or a bare number of bytes.
  *
  * As everywhere in Spark, all units are powers of 1024, whichever way they are spelled: `m`, `MB` and `MiB`
  * are the same. Fractions are refused, as Spark refuses them.
  */
private[stoplog] object ByteSize {

  /** The size in bytes, more than 0, or what is wrong with the text. */
  def parse(text: String): Either[String, Long] = text.trim.toLowerCase(Locale.ROOT) match {
    case Form(digits, unit) if shifts.contains(letter(unit)) => scaled(BigInt(digits), shifts(letter(unit)))
    case _ => Left("is not a size; write a whole number with a unit, such as 128m, 1g or 134217728")
  }

  /** The shortest text that [[parse]] reads as this number of bytes. */
  def render(bytes: Long): String =
    Seq("p", "t", "g", "m", "k")
      .collectFirst { case unit if bytes % (1L << shifts(unit)) == 0 => s"${bytes >> shifts(unit)}$unit" }
      .getOrElse(bytes.toString)

  private val Form = "([0-9]+)\\s*(|b|[kmgtp](?:i?b)?)".r

  private val shifts = Map("" -> 0, "b" -> 0, "k" -> 10, "m" -> 20, "g" -> 30, "t" -> 40, "p" -> 50)

  private def letter(unit: String): String = unit.take(1)

  private def scaled(number: BigInt, shift: Int): Either[String, Long] = {
    val bytes = number << shift
    if (bytes <= 0) Left("must be more than 0")
    else if (!bytes.isValidLong) Left("is more bytes than any file can have")
    else Right(bytes.toLong)
  }
}
