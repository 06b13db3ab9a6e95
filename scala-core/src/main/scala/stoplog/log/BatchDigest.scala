// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.security.MessageDigest
import java.util.HexFormat

/** The identity of a micro-batch: a digest of what the engine wrote down when it planned it, the offsets of its sources
  * before all. The same batch repeated has the same; one that was planned anew under the same number has another.
  */
final case class BatchDigest(value: String)

object BatchDigest {

  /** Of the file in which the engine keeps the offsets. */
  def of(offsets: Array[Byte]): BatchDigest =
    BatchDigest(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(offsets)))
}
