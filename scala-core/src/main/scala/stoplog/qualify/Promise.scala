// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

/** A promise of each storage, on which the commit protocol relies.
  *
  * @param name  one word, for scripts
  * @param what  the promise in one sentence
  * @param races the maximum number of races
  */
private[qualify] abstract class Promise(val name: String, val what: String, val races: Int) {

  /** Runs one race. Returns the violation of the promise as a clause, if the storage has broken the promise.
    *
    * Errors: those of the storage.
    *
    * @param directory the directory of the promise; other races use the directory at the same time
    * @param round     unique among the races of the promise
    */
  def race(racers: Racers, directory: String, round: Int): Option[String]

  /** Returns the violation if the condition holds. */
  protected final def broken(condition: Boolean, violation: => String): Option[String] =
    Option.when(condition)(violation)
}

private[qualify] object Promise {

  /** All promises; the promise that decides between two drivers first. */
  val all: Vector[Promise] = Vector(
    CreatesOnce,
    ShowsWholeFiles,
    MarksOnce,
    ListsAtOnce,
    ReadsAtOnce,
    MovesOnce,
    PublishesOnce,
    KeepsTakenNames,
    GrowsParts,
    Deletes
  )
}
