// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.util.control.NonFatal

import stoplog.commit.{Merge, Merged, Merger, Merging}
import stoplog.fault.{Faults, Step}

/** Merges on the thread of the query, whose steps are counted. */
final class PlaceMerger(place: Place, faults: Faults) extends Merger {

  override def start(merge: Merge): Merging = {
    val outcome =
      try Right(merging(merge))
      catch { case NonFatal(e) => Left(e) }
    new Merging {
      override def result: Option[Either[Throwable, Merged]] = Some(outcome)
      override def await(): Unit                             = ()
    }
  }

  private def merging(merge: Merge): Merged = {
    val rows   = merge.inputs.flatMap(part => place.content.lines(place.read(part.path)))
    val bytes  = place.content.fileOf(rows)
    val parts  = place.parts(faults)
    val output = parts.create(merge.part)
    output.write(bytes, 0, bytes.length / 2)
    faults.at(Step.MidMerge)
    output.write(bytes, bytes.length / 2, bytes.length - bytes.length / 2)
    Merged(parts.closed(output.persist(), bytes.length.toLong), bytes.length.toLong)
  }
}
