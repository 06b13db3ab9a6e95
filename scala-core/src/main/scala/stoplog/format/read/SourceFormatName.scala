// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.nio.charset.Charset

import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.json.JSONOptions
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType, TimestampType}

/** The format of a source's files.
  *
  * @param options of Spark's source for the format
  */
private[stoplog] sealed abstract class SourceFormatName(val word: String, options: => collection.Set[String])
    extends Product
    with Serializable {
  private[stoplog] def sparkOptions: Set[String] = options.toSet
}

private[stoplog] object SourceFormatName {

  /** One row per line. */
  case object Text extends SourceFormatName("text", Set("nullValue"))

  /** One object per line. */
  case object Json extends SourceFormatName("json", JSONOptions.getAllOptions)

  /** One row per line, with separators between fields. */
  case object Csv extends SourceFormatName("csv", CSVOptions.getAllOptions)

  /** Files read by Spark's own readers. */
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

  /** One row per file, with all bytes of the file. */
  case object BinaryFile extends Blocks("binaryFile", Set.empty)

  /** JSON or CSV with records that span lines. Only Spark's readers know the end of a record, so files are
    * never split.
    */
  sealed abstract class MultiLine(word: String, options: => collection.Set[String])
      extends Blocks(word, options.toSet)

  case object MultiLineJson extends MultiLine("json", JSONOptions.getAllOptions)

  case object MultiLineCsv extends MultiLine("csv", CSVOptions.getAllOptions)

  /** Records of a reader outside of Spark: lengthDelimited, or a user-defined class. */
  final case class Records(override val word: String, records: ReadFormats.UserRecords)
      extends SourceFormatName(word, Set.empty)

  /** The formats that are fully specified by their name. */
  val all: Seq[SourceFormatName] = Seq(Text, Json, Csv, Parquet, Orc, Avro, BinaryFile)

  /** The settings for reading the files of a source.
    *
    * @param charset of text
    * @param lineSep the end of a line; none for any of the usual line ends
    * @param options of the format only, in Spark's spelling
    * @param timeZone of timestamps without a zone; none for the session's zone
    * @param maxLineBytes the maximum length of a line
    */
  final case class ReadSettings(
      format: SourceFormatName,
      charset: Charset,
      lineSep: Option[String],
      options: Map[String, String],
      timeZone: Option[String],
      maxLineBytes: Int
  ) {

    /** Returns the time zone of timestamps without a zone. Called on the driver. */
    def zone: String = timeZone.getOrElse(SQLConf.get.sessionLocalTimeZone)

    /** Whether the time zone decides values in files with these columns. */
    def dependsOnZone(inFiles: StructType): Boolean =
      hasTimestamp(inFiles) && (format match {
        case Json | Csv | MultiLineJson | MultiLineCsv => true
        case Parquet                                   => SQLConf.get.isParquetINT96TimestampConversion
        case _                                         => false
      })
  }

  /** Returns the options of a format with another time zone. */
  def inZone(options: Map[String, String], zone: String): Map[String, String] =
    options.filterNot { case (name, _) => name.equalsIgnoreCase(TimeZone) } + (TimeZone -> zone)

  private def hasTimestamp(of: DataType): Boolean = of match {
    case TimestampType      => true
    case struct: StructType => struct.exists(field => hasTimestamp(field.dataType))
    case array: ArrayType   => hasTimestamp(array.elementType)
    case map: MapType       => hasTimestamp(map.keyType) || hasTimestamp(map.valueType)
    case _                  => false
  }

  private final val TimeZone = DateTimeUtils.TIMEZONE_OPTION
}
