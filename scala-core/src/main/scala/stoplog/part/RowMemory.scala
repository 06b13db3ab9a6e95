// SPDX-License-Identifier: Apache-2.0
package stoplog.part

/** The largest row that the memory of a process permits.
  *
  * An encoder holds several copies of a large value: the row, a buffer with room to grow, the encoded bytes,
  * their compressed form, and statistics. A row of 300 MB ended a JVM of 4 GB.
  */
private[stoplog] object RowMemory {

  /** Returns the limit for the bytes of a row, or for its characters.
    *
    * @param heapBytes the memory of the process
    */
  def most(heapBytes: Long): Long = heapBytes / Copies

  /** Returns the reason why a larger row is a bad row.
    *
    * @param unit of the limit: bytes of memory, or characters
    */
  def problem(size: Long, most: Long, unit: String, heapBytes: Long): String =
    s"it takes $size $unit, and $most are the most with a heap of $heapBytes bytes"

  private final val Copies = 20L
}
