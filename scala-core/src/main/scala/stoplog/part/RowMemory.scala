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

  /** Returns the reason why a row of this size is a bad row. `None` if the memory permits the row.
    *
    * @param unit of the size: bytes of memory, or characters
    */
  def problem(size: Long, unit: String, heapBytes: Long): Option[String] = {
    val limit = most(heapBytes)
    Option.when(size > limit)(
      s"it needs $size $unit, and the maximum with a heap of $heapBytes bytes is $limit"
    )
  }

  private final val Copies = 20L
}
