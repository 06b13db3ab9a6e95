// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Delta tables as targets of announcements: each finished file enters the table in one commit, together with
  * the position of its log. The table is the directory of the sink. The package reads the footers of files
  * and writes only the log of the table.
  */
package object delta
