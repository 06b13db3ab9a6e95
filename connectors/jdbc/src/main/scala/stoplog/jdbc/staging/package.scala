// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** Exactly-once inserts: staged rows, the table of epochs, and the transaction that moves an epoch to the
  * target.
  */
package object staging
