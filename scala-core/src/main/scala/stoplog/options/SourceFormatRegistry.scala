// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.OptionGroup.Source

/** The options of single formats, and of columns that are not in the files, as entries of the [[SourceOptionRegistry]]. */
object SourceFormatRegistry extends OptionForms {

  val LengthPrefix: SinkOption = withDefault(
    Source,
    "lengthPrefix",
    "`varint`, `int32be` or `int32le`",
    "varint",
    "How `lengthDelimited` files have the length of a record before it. `varint`: as protobuf's `writeDelimitedTo` writes " +
      "it. `int32be`, `int32le`: four bytes, the highest or the lowest first.",
    "int32be"
  )

  val MaxRecordSize: SinkOption = withDefault(
    Source,
    "maxRecordSize",
    "size",
    "64m",
    "A record of a `lengthDelimited` file that says it is longer is an error, with the byte at which it begins.",
    "256m"
  )

  val PartitionColumns: SinkOption = option(
    Source,
    "partitionColumns",
    "column names, separated by commas",
    "those that directories below `path` name when the query begins",
    "The columns that names of directories tell, such as `day=2026-11-21`, and not the files. Their types are those of " +
      "`schema(…)`, or as Spark infers them from all values. To be set where the first directories come later than the " +
      "query.",
    "day,hour"
  )

  val ofLengths: Seq[SinkOption] = Seq(LengthPrefix, MaxRecordSize)

  val all: Seq[SinkOption] = ofLengths :+ PartitionColumns
}
