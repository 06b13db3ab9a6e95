// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import stoplog.part.BlockOutput

/** Takes what a format is only tried with, on the driver. */
private[format] final class NullOutput extends BlockOutput {

  private var written = 0L

  override def position: Long = written

  override def write(b: Int): Unit = written += 1

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit = written += count
}
