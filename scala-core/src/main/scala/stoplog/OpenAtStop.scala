// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The treatment of parts that are open when a query is stopped.
  *
  * @param word as Python says it
  */
sealed abstract class OpenAtStop(val word: String)

object OpenAtStop {

  /** They are finished and published, whatever `finalizeOnTermination` says: readers see all rows. */
  case object Finalize extends OpenAtStop("finalize")

  /** As `finalizeOnTermination` says: by its default the next start goes on in them. */
  case object AsConfigured extends OpenAtStop("asConfigured")

  /** Error: `IllegalArgumentException`. */
  def of(word: String): OpenAtStop = Seq(Finalize, AsConfigured)
    .find(_.word == word)
    .getOrElse(throw new IllegalArgumentException(s"neither finalize nor asConfigured: $word"))
}
