// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.json.JSONOptions

import stoplog.format.read.OwnRecords

/** What the files of a source are.
  *
  * @param options those of Spark's own source of the format that mean something here
  */
sealed abstract class SourceFormatName(val word: String, options: => collection.Set[String])
    extends Product
    with Serializable {
  private[options] def known: Seq[String] = options.toSeq.sorted
}

object SourceFormatName {

  /** A row for each line. */
  case object Text extends SourceFormatName("text", Set.empty)

  /** An object for each line. */
  case object Json extends SourceFormatName("json", JSONOptions.getAllOptions.filterNot(replaced))

  /** A row for each line, fields with separators between them. */
  case object Csv extends SourceFormatName("csv", CSVOptions.getAllOptions.filterNot(replaced))

  /** Files that Spark's own readers read. */
  sealed abstract class Blocks(word: String, options: Set[String]) extends SourceFormatName(word, options)

  case object Parquet extends Blocks("parquet", Set("mergeSchema", "datetimeRebaseMode", "int96RebaseMode"))

  case object Orc extends Blocks("orc", Set("mergeSchema"))

  case object Avro
      extends Blocks(
        "avro",
        Set(
          "avroSchema", "avroSchemaUrl", "datetimeRebaseMode", "mode", "positionalFieldMatching",
          "enableStableIdentifiersForUnionType", "stableIdentifierPrefixForUnionType",
          "recursiveFieldMaxDepth"
        )
      )

  /** A row for each file, with all its bytes. */
  case object BinaryFile extends Blocks("binaryFile", Set.empty)

  /** JSON or CSV whose records go over lines: only Spark's own readers know where one ends, so a file is never cut. */
  sealed abstract class MultiLine(word: String, options: => collection.Set[String])
      extends Blocks(word, options.filterNot(replaced).toSet)

  case object MultiLineJson extends MultiLine("json", JSONOptions.getAllOptions)

  case object MultiLineCsv extends MultiLine("csv", CSVOptions.getAllOptions)

  /** Records of a reader that is not Spark's: lengthDelimited, or a class of the user's. */
  final case class Records(override val word: String, records: OwnRecords)
      extends SourceFormatName(word, Set.empty)

  /** Those that are known by their words alone. */
  val all: Seq[SourceFormatName] = Seq(Text, Json, Csv, Parquet, Orc, Avro, BinaryFile)

  private def replaced(option: String): Boolean = SourcePassThrough.Replaced.contains(option)
}
