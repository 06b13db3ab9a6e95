// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Iceberg tables as targets of announcements: each finished file enters the table in one commit, together
  * with the position of its log. The package reads the footers of files and writes only metadata of the
  * table.
  */
package object iceberg
