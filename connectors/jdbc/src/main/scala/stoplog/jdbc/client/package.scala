// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** The connection to a database: sessions, retries, the meaning of failures, and the SQL of each dialect.
  * Spark's own JDBC classes open connections and name types.
  */
package object client
