// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** What an exception says of why something failed. */
private[stoplog] object Causes {

  /** The exception, its cause, the cause of that, and so on. */
  def of(e: Throwable): Seq[Throwable] = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq

  /** What the innermost says, in one line. */
  def reason(e: Throwable): String = {
    val last = of(e).last
    Option(last.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(last.toString)
  }

  /** What the exception itself says. */
  def message(e: Throwable): String = Option(e.getMessage).getOrElse(e.toString)
}
