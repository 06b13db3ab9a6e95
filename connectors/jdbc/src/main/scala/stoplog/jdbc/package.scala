// SPDX-License-Identifier: Apache-2.0
package stoplog

/** A table of a database as a sink: upserts by key, or inserts that are staged and moved in one transaction for each epoch.
  *
  * [[Dialect]] has all that differs between databases, [[Session]] the connection. Spark's own JDBC classes open connections
  * and name types.
  */
package object jdbc
