// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import scala.collection.mutable

import stoplog.error.{Errors, StoplogArgumentException}

/** What is wrong with the options of one call, collected so that all of it is told at once. */
private[stoplog] final class Problems {

  /** @param sentence ends with a full stop */
  def add(sentence: String): Unit = found += ((sentence, None))

  /** A problem that has a condition of its own, which is thrown if it is the only one. */
  def add(sentence: String, error: StoplogArgumentException): Unit = found += ((sentence, Some(error)))

  def throwIfAny(): Unit = found.toSeq match {
    case Seq()                 => ()
    case Seq((_, Some(error))) => throw error
    case all                   => throw Errors.invalidOptions(all.map { case (sentence, _) => sentence })
  }

  private val found = mutable.Buffer.empty[(String, Option[StoplogArgumentException])]
}
