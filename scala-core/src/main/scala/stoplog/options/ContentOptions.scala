// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.nio.charset.{Charset, StandardCharsets}
import java.time.ZoneId

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.error.Errors
import stoplog.format.read.ReadFormats.{DelimitedRows, UserRecords}
import stoplog.format.read.{LineDialect, RowFormat, SourceFormatName}
import stoplog.format.read.SourceFormatName.ReadSettings
import stoplog.source.file.LineReader
import stoplog.source.format.{LengthPrefix => Prefix}

/** The content of a source: its paths, and the kind of its files.
  *
  * @param columns          the columns to read; `None` for all
  * @param partitionColumns the columns in directory names; `None` for columns found when the query starts
  */
private[stoplog] final case class ContentOptions(
    paths: Vector[String],
    read: ReadSettings,
    columns: Option[Seq[String]],
    partitionColumns: Option[Seq[String]]
)

private[stoplog] object ContentOptions extends OptionList(OptionGroup.Source) {

  val Path: Opt[String] =
    required("path", OptionType.text.as("file, directory, or pattern"), "/data/events/2026-*")(
      "The input. `load(path)` also sets this option. The names of a pattern may contain `*`, `?`, `[a-z]` " +
        "and `{one,two}`."
    )

  val Paths: Opt[Seq[String]] = enter(
    OptionGroup.OfSpark.option(
      "paths",
      OptionType[Seq[String]](
        "JSON array of strings",
        strings(_),
        all => mapper.writeValueAsString(all.asJava)
      ),
      "[\"/data/eu\", \"/data/us\"]"
    )(
      "only `path`",
      "Several paths, in addition to `path` or instead. Spark sets this option for `load(Seq(…))`, and the builders do. " +
        "All paths must belong to the same file system."
    )
  )

  val FormatName: Opt[SourceFormatName] = required(
    "format",
    OptionType
      .words[SourceFormatName](
        SourceFormatName.all.map(f => f.word -> f) :+ (Delimited -> SourceFormatName.Text): _*
      )
      .copy(
        described =
          "`text`, `json`, `csv`, `lengthDelimited`, `parquet`, `orc`, `avro`, `binaryFile`, or a class name",
        takesParameters = true
      ),
    "json"
  )(
    "The format of the files. `text`: a row for each line. `json`, `csv`: lines, read by Spark's parsers " +
      "with their options; with `multiLine` = `true`, records may span several lines, and files are never " +
      "split. Files of lines may be compressed, with names that end with `.gz`, `.zst`, `.zstd`, `.bz2`, " +
      "`.deflate`, `.lz4` or `.snappy`. `parquet`, `orc`, `avro`: read by Spark's readers, with the " +
      "columns of `schema(…)` or else of the newest file. `binaryFile`: a row for each file, with all " +
      "bytes. `lengthDelimited`: binary records with a length before each record, in a single column " +
      "`value`; may be compressed in the same way as lines. A class: a custom format, which extends " +
      "`stoplog.source.format.StreamFormat`, `SimpleStreamFormat` or `BulkFormat`, and " +
      "`stoplog.format.read.RowFormat`, and has a public constructor without arguments."
  )

  val UserSource: Opt[String] = option("source", OptionType.className, "com.example.NumbersSource")(
    "files",
    "A custom source instead of files: the name of a class that extends `stoplog.format.read.RowSource` " +
      "and has a public constructor without arguments. The source receives all other options. Of these, " +
      "only the limits below keep their meaning."
  )

  val Columns: Opt[Seq[String]] = option("columns", OptionType.columnNames, "id,word")(
    "all",
    "The columns to read. Spark requests all columns of a streaming source, regardless of the needs of the " +
      "query. The source does not decode other columns."
  )

  val Charset: Opt[Charset] = enter(
    OptionGroup.OfSpark.withDefault(
      "charset",
      OptionType[Charset]("name of a character set", charsetOf(_), _.name),
      StandardCharsets.UTF_8,
      "ISO-8859-1"
    )(
      "The character set of the text. Only files in UTF-8 can be read in parallel pieces."
    )
  )

  val LineSep: Opt[String] = enter(
    OptionGroup.OfSpark.option("lineSep", OptionType.text, "\\u0001")(
      "`\\n`, `\\r\\n` and `\\r`",
      "The end of a line, as in Spark. Has no effect on `json` with `multiLine` = `true`."
    )
  )

  val TimeZone: Opt[ZoneId] = enter(
    OptionGroup.OfSpark.option("timeZone", BucketOptions.TimeZone.values, "Europe/Berlin")(
      "the time zone of the session",
      "The time zone of timestamps in names of directories, in every format, and of timestamps without a zone " +
        "in `json` and `csv`: the same zone as the option of this name of the sink that wrote the files."
    )
  )

  val LengthPrefix: Opt[Prefix] = choice[Prefix](
    "lengthPrefix",
    "varint"  -> Prefix.Varint,
    "int32be" -> Prefix.Int32BigEndian,
    "int32le" -> Prefix.Int32LittleEndian
  )(
    "int32be",
    "The form of the length before each record of `lengthDelimited` files. `varint`: the form of " +
      "protobuf's `writeDelimitedTo`. `int32be`, `int32le`: four bytes, big-endian or little-endian."
  )

  val MaxRecordSize: Opt[Long] =
    option("maxRecordSize", OptionType.size.refusing(_ <= Int.MaxValue / 2, "is more than 1 GiB"), "1g")(
      s"`${OptionType.ByteSize.render(LineReader.MaxLineBytes.toLong)}` for lines, `64m` for `lengthDelimited`",
      "The maximum length of a line of `text`, `json` and `csv`, or of a record of `lengthDelimited`. A greater " +
        "length is an error that names the byte at which the record starts. The limit protects the memory of a " +
        "task: a small compressed file may contain one very long line."
    )

  val PartitionColumns: Opt[Seq[String]] =
    option("partitionColumns", OptionType.columnNames, "day,hour")(
      "the columns of the directories below `path` when the query starts",
      "The columns from names of directories, such as `day=2026-11-21`, and not from the files. " +
        "`schema(…)` defines the types; otherwise Spark infers the types from all values. Set this option " +
        "if the first directories appear after the start of the query."
    )

  /** @param isQuarantined whether undecodable records are skipped; evaluated after path and format
    */
  def parse(reader: OptionReader, isQuarantined: => Boolean): ContentOptions = {
    val paths   = pathsOf(reader)
    val format  = formatOf(reader)
    val charset = reader(Charset)
    val lineSep = reader.textOrEmpty(LineSep).filter(_.nonEmpty)
    val zone    = reader.get(TimeZone).map(_.getId)
    ContentOptions(
      paths,
      ReadSettings(
        format.getOrElse(SourceFormatName.Text),
        charset,
        lineSep,
        mode(isQuarantined, format, SourcePassThrough.parse(reader, format)) ++
          toSpark(format, charset, lineSep, zone),
        zone,
        reader.get(MaxRecordSize).fold(LineReader.MaxLineBytes)(_.toInt)
      ),
      reader.get(Columns),
      reader.get(PartitionColumns)
    )
  }

  private def pathsOf(reader: OptionReader): Vector[String] = {
    val listed = reader.text(Paths).toVector.flatMap { json =>
      Paths.values.parse(json).left.map(why => reader.errors.add(s"paths = '$json' $why.")).getOrElse(Nil)
    }
    val all = reader.text(Path).toVector ++ listed
    if (all.isEmpty)
      reader.errors.add(
        "path is not set: set path to the input, or pass the path to load(…).",
        Errors.pathMissing()
      )
    all
  }

  /** Returns `None` if the format is missing or invalid. */
  private def formatOf(reader: OptionReader): Option[SourceFormatName] = {
    val format = reader.text(FormatName) match {
      case None =>
        reader.errors.add(
          s"format is not set: set it to one of ${FormatName.values.words.mkString(", ")}, or to a class, " +
            "or set view to see the state of a sink."
        )
        None
      case Some(text) if text.trim.equalsIgnoreCase(Delimited)              => delimited(reader)
      case Some(text) if text.startsWith("instance:") || text.contains('.') => own(reader)
      case Some(_)                                                          =>
        reader.get(FormatName).map {
          case SourceFormatName.Json if isMultiLine(reader) => SourceFormatName.MultiLineJson
          case SourceFormatName.Csv if isMultiLine(reader)  => SourceFormatName.MultiLineCsv
          case other                                        => other
        }
    }
    format.foreach(refuse(reader, _))
    format
  }

  private def isMultiLine(reader: OptionReader): Boolean = reader.others.exists { case (key, value) =>
    key.equalsIgnoreCase("multiLine") && value.trim.equalsIgnoreCase("true")
  }

  private def delimited(reader: OptionReader): Option[SourceFormatName] =
    UserRecords
      .of(new DelimitedRows(reader(LengthPrefix), reader.get(MaxRecordSize).fold(DelimitedBytes)(_.toInt)))
      .map(SourceFormatName.Records(Delimited, _))

  private def own(reader: OptionReader): Option[SourceFormatName] =
    reader
      .reference(FormatName)
      .flatMap(reader.userObject(FormatName, _, classOf[RowFormat[_]]))
      .flatMap { format =>
        val records = UserRecords.of(format)
        if (records.isEmpty)
          reader.errors.add(
            s"format names ${format.getClass.getName}, which is not a StreamFormat, SimpleStreamFormat or " +
              "BulkFormat of stoplog.source.format."
          )
        records.map(SourceFormatName.Records(format.getClass.getName, _))
      }

  private def refuse(reader: OptionReader, format: SourceFormatName): Unit = {
    val ofLines: Seq[Opt[_]] = format match {
      case SourceFormatName.MultiLineCsv                            => Seq(MaxRecordSize)
      case SourceFormatName.MultiLineJson                           => Seq(LineSep, MaxRecordSize)
      case SourceFormatName.Records(word, _) if word == Delimited   => Seq(Charset, LineSep)
      case _: SourceFormatName.Blocks | _: SourceFormatName.Records => Seq(Charset, LineSep, MaxRecordSize)
      case _                                                        => Nil
    }
    reader.withoutEffect(ofLines, s"with ${format.word}")
    if (format.word != Delimited)
      reader.withoutEffect(Seq(LengthPrefix), s"without format = $Delimited")
  }

  /** Returns the options of Spark's own reader derived from source options. */
  private def toSpark(
      format: Option[SourceFormatName],
      charset: Charset,
      lineSep: Option[String],
      zone: Option[String]
  ): Map[String, String] = {
    // by default, Spark's readers accept UTF-8 with and without a byte order mark
    val encoding = format.collect {
      case _: SourceFormatName.MultiLine if charset != StandardCharsets.UTF_8 => "encoding" -> charset.name
    }
    // the source itself finds the lines of other formats
    val ends   = lineSep.filter(_ => format.contains(SourceFormatName.MultiLineCsv)).map(LineSep.key -> _)
    val ofRows = zone.filter(_ => format.exists(_.sparkOptions.contains(TimeZone.key))).map(TimeZone.key -> _)
    (encoding ++ ends ++ ofRows).toMap
  }

  /** Adds defaults. Makes Spark's parsers fail for invalid records. By default they return nulls, without
    * quarantine.
    */
  private def mode(
      isQuarantined: Boolean,
      format: Option[SourceFormatName],
      options: Map[String, String]
  ): Map[String, String] = {
    val set = format match {
      case Some(SourceFormatName.Csv | SourceFormatName.MultiLineCsv) => LineDialect.ofCsv(options)
      case _                                                          => options
    }
    format match {
      case Some(SourceFormatName.Json | SourceFormatName.Csv | _: SourceFormatName.MultiLine)
          if isQuarantined =>
        Map("mode" -> "FAILFAST") ++ set
      case _ => set
    }
  }

  private def charsetOf(name: String): Either[String, Charset] =
    Try(java.nio.charset.Charset.forName(name.trim)).toEither.left
      .map(_ => "is not a character set of this JVM")

  private def strings(json: String): Either[String, Seq[String]] =
    Try(mapper.readTree(json)).toOption
      .filter(read => read.isArray && read.elements.asScala.forall(_.isTextual))
      .map(_.elements.asScala.map(_.asText()).toVector)
      .toRight("is not a JSON array of strings")

  private lazy val mapper = new ObjectMapper()

  private final def Delimited      = "lengthDelimited"
  private final def DelimitedBytes = 64 << 20
}
