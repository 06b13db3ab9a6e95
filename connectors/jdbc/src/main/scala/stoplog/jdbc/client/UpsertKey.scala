// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

/** What identifies a row of upserts, by quoted names.
  *
  * @param columns the key columns
  * @param version the column whose greater value wins; without a version, the later row wins
  */
private[jdbc] final case class UpsertKey(columns: Seq[String], version: Option[String])
