// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** The target `jdbc` of announcements: a table with a row for each announced file. */
package object announce
