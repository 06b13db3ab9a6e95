// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** The target table as described by the database, and the checks before the first write. */
package object table
