// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import stoplog.store.{Durability, Truncation}
import stoplog.store.hadoop._

/** What a user asked for, in the words of the stores on Hadoop file systems. */
private[stoplog] object HadoopChoices {

  def durability(asked: Durability): HadoopDurability = asked match {
    case Durability.Disk    => HadoopDurability.Disk
    case Durability.Process => HadoopDurability.Process
  }

  def trimming(asked: Truncation, growth: Growth): Trimming = (asked, growth) match {
    case (Truncation.ValidLength(_, _), _) => Trimming.ValidLength
    case (_, Growth.AppendAndTruncate)     => Trimming.Truncate
    case _                                 => Trimming.Copy
  }

  def lengths(files: HadoopFiles, sinkId: String, asked: Truncation): ValidLengths =
    new ValidLengths(files, sinkId, asked.prefix, asked.suffix)
}
