// SPDX-License-Identifier: Apache-2.0
package stoplog.part

import java.util.UUID

/** One run of one driver: new at each start, so nothing that is named after it can be named twice. */
final case class RunId(value: String) {

  /** The short form that goes into the names of parts: 48 random bits as 12 hexadecimal digits. */
  def uid: String = value.filter(_ != '-').take(12)
}

object RunId {
  def random(): RunId = RunId(UUID.randomUUID().toString)
}
