// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.nio.charset.Charset

import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.json.JSONOptions

/** The format of a source's files.
  *
  * @param options of Spark's own source of the format
  */
private[stoplog] sealed abstract class SourceFormatName(val word: String, options: => collection.Set[String])
    extends Product
    with Serializable {
  private[stoplog] def sparkOptions: Set[String] = options.toSet
}

private[stoplog] object SourceFormatName {

  /** A row for each line. */
  case object Text extends SourceFormatName("text", Set.empty)

  /** An object for each line. */
  case object Json extends SourceFormatName("json", JSONOptions.getAllOptions)

  /** A row for each line, fields with separators between them. */
  case object Csv extends SourceFormatName("csv", CSVOptions.getAllOptions)

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
      extends Blocks(word, options.toSet)

  case object MultiLineJson extends MultiLine("json", JSONOptions.getAllOptions)

  case object MultiLineCsv extends MultiLine("csv", CSVOptions.getAllOptions)

  /** Records of a reader that is not Spark's: lengthDelimited, or a class of the user's. */
  final case class Records(override val word: String, records: ReadFormats.UserRecords)
      extends SourceFormatName(word, Set.empty)

  /** The formats that are known by their words alone. */
  val all: Seq[SourceFormatName] = Seq(Text, Json, Csv, Parquet, Orc, Avro, BinaryFile)

  /** The settings by which the files of a source are read.
    *
    * @param charset of text
    * @param lineSep the end of a line; none for any of the usual ends
    * @param options of the format alone, in Spark's spelling
    */
  final case class ReadSettings(
      format: SourceFormatName,
      charset: Charset,
      lineSep: Option[String],
      options: Map[String, String]
  )
}
