// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import org.apache.hadoop.fs.Path
import org.apache.orc.MemoryManager

/** When a stripe is full: where orc-core would end it, if it were the only writer of its process.
  *
  * orc-core takes rows in batches and compares the memory that they take with the stripe's size after some thousands of
  * them, or at once when they are far beyond it. Stripes ended more exactly would be smaller than those of a batch job.
  *
  * @param rowsPerCheck
  *   so many rows are taken between two comparisons
  * @param checkRatio
  *   so many times the size is far beyond it; 0 for never
  */
private[orc] final class StripeLimit(
    stripeBytes: Long,
    stripeRows: Long,
    rowsPerCheck: Long,
    checkRatio: Double
) extends MemoryManager {

  private var bytes       = 0L
  private var checkedRows = 0L
  private var isFull      = false
  private var isTaken     = false

  /** The number to compare with the size of a stripe. */
  def answer: Long = if (isFull) math.max(bytes, stripeBytes) else math.min(bytes, stripeBytes - 1)

  /** Whether orc-core took a batch since this was last asked. */
  def takeBatch(): Boolean = {
    val answer = isTaken
    isTaken = false
    answer
  }

  /** Looks at a stripe that grew. */
  def look(rows: Long, memoryBytes: Long): Unit = {
    bytes = memoryBytes
    if (rows - checkedRows >= math.min(rowsPerCheck, stripeRows) || isFarBeyond) {
      checkedRows = rows
      isFull = bytes > stripeBytes || rows >= stripeRows
    }
  }

  private def isFarBeyond: Boolean = checkRatio > 0 && bytes > checkRatio * stripeBytes

  // What orc-core calls. It divides no memory among writers: a stripe is as large here as the settings say.

  override def checkMemory(previousAllocation: Long, writer: MemoryManager.Callback): Long = {
    isTaken = true
    previousAllocation
  }

  override def addedRow(rows: Int): Unit = isTaken = true

  override def addWriter(path: Path, requestedBytes: Long, writer: MemoryManager.Callback): Unit = ()

  override def removeWriter(path: Path): Unit = ()
}
