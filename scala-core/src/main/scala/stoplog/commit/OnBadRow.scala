// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

/** The treatment of a row that cannot be written. */
sealed trait OnBadRow extends Product with Serializable

object OnBadRow {

  /** The query fails; nothing of the epoch is published. */
  case object Fail extends OnBadRow

  /** It is put aside, and published with its epoch where readers of the data do not look. */
  case object Reject extends OnBadRow
}
