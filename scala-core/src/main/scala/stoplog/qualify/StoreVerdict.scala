// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

/** The result of a qualification.
  *
  * @param url    the path of the storage
  * @param safety the verdict
  * @param tried  the promises that were tried
  * @param notes  the facts that an operator should know, in sentences
  * @param left   the directory of the trial if the directory could not be deleted
  */
private[stoplog] final case class StoreVerdict(
    url: String,
    safety: Safety,
    tried: Vector[TriedPromise],
    notes: Vector[String],
    seconds: Long,
    left: Option[String]
)

/** Whether the sinks and sources keep their guarantees on a storage. */
private[stoplog] sealed abstract class Safety(val word: String) extends Product with Serializable

private[stoplog] object Safety {

  /** No race has broken a promise. */
  case object Safe extends Safety("safe")

  /** No race has broken a promise, with these settings.
    *
    * @param settings each setting, with its reason
    */
  final case class SafeWith(settings: Vector[String]) extends Safety("safe with settings")

  /** A promise was broken.
    *
    * @param reasons in sentences
    */
  final case class Unsafe(reasons: Vector[String]) extends Safety("unsafe")
}

/** A promise of a storage that was tried.
  *
  * @param name      the promise as one word
  * @param what      the promise as a clause
  * @param races     the number of races
  * @param violation the violation as a clause, if a race has broken the promise
  */
private[stoplog] final case class TriedPromise(
    name: String,
    what: String,
    races: Int,
    violation: Option[String]
)
