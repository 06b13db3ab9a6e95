// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

private[format] object SyncMarker {

  /** The 16 bytes between blocks of a part. Avro and Hadoop draw them by the same function of a unique text; a part's
    * name is one, too, since it has the run's random id in it.
    */
  def of(name: String): Array[Byte] = MessageDigest.getInstance("MD5").digest(name.getBytes(UTF_8))
}
