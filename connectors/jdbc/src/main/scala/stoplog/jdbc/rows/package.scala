// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** Rows as JDBC values, their order by key, and their buffers. Contains no SQL and opens no connection. */
package object rows
