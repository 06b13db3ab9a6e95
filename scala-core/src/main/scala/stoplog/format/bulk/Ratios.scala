// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.util.concurrent.ConcurrentHashMap

/** How much rows shrink on their way to storage; learned from the last block that was written.
  *
  * @param block   bytes in a block, as [[BlockWriter.bufferedBytes]] counts them, for each byte of a row
  * @param storage bytes on storage for each byte of a row
  */
private[bulk] final case class Ratios(block: Double, storage: Double)

private[bulk] object Ratios {

  /** Nothing is known: a row takes on storage what it takes in memory, which is more than it will. */
  val unknown: Ratios = Ratios(1, 1)

  def of(rawBytes: Long, blockBytes: Long, storageBytes: Long): Ratios =
    Ratios(blockBytes.toDouble / rawBytes, storageBytes.toDouble / rawBytes)

  /** What has been learned in this process of parts in this format; by [[BulkFormat.describe]]. */
  def learned(format: String): Option[Ratios] = Option(known.get(format))

  def learn(format: String, ratios: Ratios): Unit = {
    if (known.size > MostFormats) known.clear()
    known.put(format, ratios)
    ()
  }

  private val known = new ConcurrentHashMap[String, Ratios]

  private final val MostFormats = 1000
}
