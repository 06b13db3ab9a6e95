// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import java.io.OutputStream

/** The end of a part. Do not close it. */
abstract class BlockOutput extends OutputStream {

  /** Bytes in the part up to here, those of earlier epochs included. */
  def position: Long
}
