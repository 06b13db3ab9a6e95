// SPDX-License-Identifier: Apache-2.0
package stoplog

/** A database table as a sink: upserts by key, or staged inserts that one transaction for each epoch moves to
  * the table.
  *
  * [[client.Dialect]] contains all differences between databases.
  */
package object jdbc
