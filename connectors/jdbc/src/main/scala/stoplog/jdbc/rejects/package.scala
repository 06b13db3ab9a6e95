// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** Rows that the database rejects, and their table. */
package object rejects
