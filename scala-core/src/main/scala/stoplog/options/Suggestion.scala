// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.Locale

/** The known name that was probably meant. */
private[stoplog] object Suggestion {

  def of(name: String, known: Seq[String]): Option[String] = {
    val asked  = name.toLowerCase(Locale.ROOT)
    val ranked = for {
      candidate <- known
      distance = edits(asked, candidate.toLowerCase(Locale.ROOT))
      if distance <= math.max(2, asked.length / 3) && distance < asked.length
    } yield (distance, candidate)
    ranked.sorted.headOption.map(_._2).orElse(beginning(asked, known)).orElse(containing(asked, known))
  }

  // The suffix of files, such as gz for gzip.
  private def beginning(asked: String, known: Seq[String]): Option[String] =
    known.filter(_.toLowerCase(Locale.ROOT).startsWith(asked)) match {
      case Seq(one) if asked.length >= 2 => Some(one)
      case _                             => None
    }

  // A name that was shortened, such as partSize for maxPartSize.
  private def containing(asked: String, known: Seq[String]): Option[String] =
    if (asked.length < 4) None
    else known.filter(_.toLowerCase(Locale.ROOT).contains(asked)).sortBy(_.length).headOption

  /** How many letters must be put in, taken out, changed, or swapped with their neighbour. */
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
