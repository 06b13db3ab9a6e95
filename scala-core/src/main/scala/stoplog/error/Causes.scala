// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The reasons that an exception gives for a failure. */
private[stoplog] object Causes {

  /** The exception, its cause, the cause of that, and so on. */
  def of(e: Throwable): Seq[Throwable] = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq

  /** The message of the innermost, in one line. */
  def reason(e: Throwable): String = {
    val last = of(e).last
    Option(last.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(last.toString)
  }

  /** The message of the exception itself. */
  def message(e: Throwable): String = Option(e.getMessage).getOrElse(e.toString)
}
