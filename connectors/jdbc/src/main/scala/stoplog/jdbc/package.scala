// SPDX-License-Identifier: Apache-2.0
package stoplog

/** A database table as a sink: upserts by key, or staged inserts that one transaction for each epoch moves to
  * the table.
  *
  * [[Dialect]] contains all differences between databases, [[Session]] the connection. Spark's own JDBC
  * classes open connections and name types.
  */
package object jdbc
