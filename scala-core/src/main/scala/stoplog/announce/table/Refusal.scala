// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import stoplog.announce.Delivery

/** The table cannot accept announcements, now and later.
  *
  * @param reason a clause for messages, with the next step of the user
  * @param files  the paths of the files that the table cannot accept, if the table accepts the announcements
  *               without these files
  */
private[stoplog] final class Refusal(val reason: String, files: Set[String] = Set.empty)
    extends RuntimeException(reason) {

  def delivery: Delivery = Delivery.Refused(reason, files)
}
