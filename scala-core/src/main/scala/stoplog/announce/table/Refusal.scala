// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

/** The table cannot accept announcements, now and later.
  *
  * @param reason a clause for messages, with the next step of the user
  */
private[stoplog] final class Refusal(val reason: String) extends RuntimeException(reason)
