// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** The formats of a source: lines by Spark's own parsers, files by Spark's own readers, and records of a user's format.
  *
  * It adds the columns that directories name and the column `_metadata`. Users implement [[RowFormat]] and [[RowSource]]. The package
  * knows the source's files and splits, and nothing of a sink but how its Hadoop settings are made.
  */
package object read
