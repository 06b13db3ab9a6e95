// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.part.FinishedPart
import stoplog.storage.ReplacedFiles

/** Finished files that a record may replace: each has passed the storage's check before hiding.
  *
  * Only [[ReplacedSet.of]] creates a set, so that no caller decides a replacement that cannot be carried out.
  */
private[stoplog] final class ReplacedSet private (val parts: Vector[FinishedPart])

private[stoplog] object ReplacedSet {
  val empty: ReplacedSet = new ReplacedSet(Vector.empty)

  /** Returns the set, or the path of a file that cannot be hidden. */
  def of(parts: Vector[FinishedPart], finished: ReplacedFiles): Either[String, ReplacedSet] =
    if (parts.isEmpty) Right(empty) else finished.unhideable(parts.map(_.path)).toLeft(new ReplacedSet(parts))

  /** Returns the files that can be hidden. */
  def hideable(parts: Vector[FinishedPart], finished: ReplacedFiles): Vector[FinishedPart] =
    if (of(parts, finished).isRight) parts
    else
      parts.groupBy(_.bucket).toVector.sortBy(_._1).flatMap { case (_, same) =>
        if (of(same, finished).isRight) same else same.filter(part => of(Vector(part), finished).isRight)
      }
}
