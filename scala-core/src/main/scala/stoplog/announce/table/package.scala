// SPDX-License-Identifier: Apache-2.0
package stoplog.announce

/** What targets that are tables have in common: the effect of announcements on the files of a table. */
package object table
