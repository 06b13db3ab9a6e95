// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** The formats of a source: lines by Spark's parsers, files by Spark's readers, and records of user-defined
  * formats.
  *
  * The package adds the directory columns and the column `_metadata`. Users implement [[RowFormat]] and
  * [[RowSource]]. The package uses the source's files and splits, and the sink's Hadoop settings.
  */
package object read
