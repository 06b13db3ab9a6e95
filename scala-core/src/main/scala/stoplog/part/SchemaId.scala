// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

/** Stands for the columns that a part's rows have: as short as can be, since it may be in the record of every epoch. */
final case class SchemaId(value: String)

object SchemaId {

  /** The first 48 bits of a digest. `text` are the columns as the log keeps them. */
  def of(text: String): SchemaId =
    SchemaId(digest(text).take(6).map(byte => f"${byte & 0xff}%02x").mkString)

  private def digest(text: String): Array[Byte] =
    MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8))
}
