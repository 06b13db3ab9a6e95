// SPDX-License-Identifier: Apache-2.0
package stoplog.filesource

import java.util.Locale

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, Path => HadoopPath}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.ExprUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import stoplog.error.Errors
import stoplog.format.read.{DirectoryColumns, SourceFormatName}
import stoplog.format.read.DirectoryColumns.DirectoryTypes
import stoplog.format.read.SparkFormats.BlockSchema
import stoplog.options.{FileOptions, SourceOptions}
import stoplog.source.file.{DirectoryNames, FileFinder, PathRules}
import stoplog.storage.{SourceFile, SourceFiles}

/** The columns of files, and of the directories that contain the files. */
private[stoplog] object SourceColumns {

  /** Infers the columns if the user specifies none: the columns of the newest file, or with `mergeSchema`
    * of all files, followed by the columns of the directories.
    *
    * Error: `STOPLOG_SOURCE_SCHEMA`.
    */
  def inferred(options: SourceOptions, files: SourceFiles, rules: PathRules): StructType = {
    val names      = namesOf(options, files, rules).all
    lazy val found = inferSchema(files, rules, options.files, filesToRead(options))
    val inFiles    = options.content.read.format match {
      case SourceFormatName.Text                => new StructType().add("value", StringType)
      case SourceFormatName.Records(_, records) => records.schema
      case lines: SourceFormatName.MultiLine    => throw Errors.sourceSchema(lines.word)
      case blocks: SourceFormatName.Blocks      =>
        val all = found.schemaFiles.map(status(files, _))
        BlockSchema
          .of(blocks, all, options.content.read.options)
          .getOrElse(throw Errors.sourceSchema(blocks.word))
      case lines => throw Errors.sourceSchema(lines.word)
    }
    if (names.isEmpty) inFiles
    else {
      val others = inFiles.filterNot(column => names.exists(SQLConf.get.resolver(_, column.name)))
      StructType(others ++ directoryFields(names, name => found.values.getOrElse(name.toLowerCase, Nil)))
    }
  }

  /** Checks the user's columns like Spark's own file sources. Any column may be null, at any depth: `NOT
    * NULL` is not enforced for files. A reader that relied on `NOT NULL` would read a missing value as `0`,
    * or as the value of the previous row.
    *
    * Errors of Spark: `COLUMN_ALREADY_EXISTS`, and `INVALID_JSON_SCHEMA_MAP_TYPE`.
    */
  def checked(columns: StructType, format: SourceFormatName): StructType = {
    refuseTwins(columns)
    if (isJson(format)) checkJson(columns)
    nullable(columns)
  }

  /** Returns the same columns as nullable columns, at any depth. */
  def nullable(columns: StructType): StructType =
    StructType(columns.map(f => f.copy(dataType = nullable(f.dataType), nullable = true)))

  private def refuseTwins(of: DataType): Unit = of match {
    case struct: StructType =>
      val names = struct.fieldNames.map(folded)
      names.diff(names.distinct).headOption.foreach { twin =>
        throw new AnalysisException("COLUMN_ALREADY_EXISTS", Map("columnName" -> s"`$twin`"))
      }
      struct.foreach(field => refuseTwins(field.dataType))
    case array: ArrayType => refuseTwins(array.elementType)
    case map: MapType     =>
      refuseTwins(map.keyType)
      refuseTwins(map.valueType)
    case _ => ()
  }

  private def folded(name: String): String =
    if (SQLConf.get.caseSensitiveAnalysis) name else name.toLowerCase(Locale.ROOT)

  private def isJson(format: SourceFormatName): Boolean = format match {
    case SourceFormatName.Json | SourceFormatName.MultiLineJson => true
    case _                                                      => false
  }

  private def checkJson(columns: StructType): Unit =
    if (ExprUtils.checkJsonSchema(columns).isFailure)
      throw new AnalysisException(
        "INVALID_JSON_SCHEMA_MAP_TYPE",
        Map("jsonSchema" -> columns.sql)
      )

  private def nullable(of: DataType): DataType = of match {
    case struct: StructType => nullable(struct)
    case array: ArrayType   => ArrayType(nullable(array.elementType), containsNull = true)
    case map: MapType => MapType(nullable(map.keyType), nullable(map.valueType), valueContainsNull = true)
    case other        => other
  }

  /** Returns the columns in the option `columns`; by default, all. Error: `STOPLOG_INVALID_OPTIONS`. */
  def selected(options: SourceOptions, known: StructType): StructType =
    options.content.columns.fold(known)(names => StructType(names.map(named(known, _))))

  private def named(columns: StructType, name: String): StructField =
    columns.find(field => SQLConf.get.resolver(field.name, name)).getOrElse {
      val known = columns.fieldNames.mkString(", ")
      throw Errors.invalidOptions(Seq(s"columns names '$name', which is not one of $known."))
    }

  private def filesToRead(options: SourceOptions): FilesToRead = {
    val merges    = options.content.read.options.get("mergeSchema").map(_.trim.equalsIgnoreCase("true"))
    val ofSession = options.content.read.format match {
      case SourceFormatName.Parquet => SQLConf.get.isParquetSchemaMergingEnabled
      case SourceFormatName.Orc     => SQLConf.get.isOrcSchemaMergingEnabled
      case _                        => false
    }
    if (merges.getOrElse(ofSession)) All else Newest
  }

  private def status(files: SourceFiles, file: SourceFile): FileStatus =
    new FileStatus(file.bytes, false, 1, 0, file.modifiedMillis, new HadoopPath(files.locate(file.path)))

  /** Returns the columns whose values are in the names of directories. */
  def ofDirectories(
      options: SourceOptions,
      columns: StructType,
      files: SourceFiles,
      rules: PathRules
  ): DirectoryColumns =
    DirectoryColumns.of(columns, namesOf(options, files, rules), options.content.read.zone)

  /** Returns the time zone of timestamps without a zone. `None` if no value depends on a time zone. */
  def zone(options: SourceOptions, columns: StructType, directories: DirectoryColumns): Option[String] =
    Option.when(
      directories.schema.exists(_.dataType == TimestampType) ||
        options.content.read.dependsOnZone(directories.without(columns))
    )(options.content.read.zone)

  private def directoryFields(names: Seq[String], values: String => Iterable[String]): Seq[StructField] =
    if (SQLConf.get.partitionColumnTypeInferenceEnabled) DirectoryTypes.of(names, values)
    else names.map(StructField(_, StringType))

  private def namesOf(options: SourceOptions, files: SourceFiles, rules: PathRules): DirectoryColumns.Names =
    options.content.partitionColumns match {
      case Some(names) => DirectoryColumns.Names.Set(names)
      case None        =>
        DirectoryColumns.Names.Found(DirectoryColumns.named(DirectoryNames.sample(files, rules)).map(_._1))
    }

  /** The facts about the columns from a listing of all files.
    *
    * @param schemaFiles the files whose columns count: complete files with bytes, or if there is none, other
    *   files with bytes. Never a marker
    * @param values  of the columns in names of directories
    */
  private final case class SchemaInference(schemaFiles: Vector[SourceFile], values: Map[String, Set[String]])

  /** The files from which the columns are inferred. */
  private sealed trait FilesToRead
  private case object Newest extends FilesToRead
  private case object All    extends FilesToRead

  private def inferSchema(
      files: SourceFiles,
      rules: PathRules,
      selection: FileOptions,
      wanted: FilesToRead
  ): SchemaInference = {
    var (complete, others) = (Vector.empty[SourceFile], Vector.empty[SourceFile])
    var latest             = ""
    val values             = mutable.Map.empty[String, mutable.Set[String]]
    val now                = System.currentTimeMillis()
    def isNewest(file: SourceFile, of: Vector[SourceFile]) =
      wanted == All || of.forall(_.modifiedMillis <= file.modifiedMillis)
    def added(file: SourceFile, to: Vector[SourceFile]) =
      if (wanted == All) to :+ file else if (isNewest(file, to)) Vector(file) else to
    def visit(file: SourceFile): Unit = {
      if (file.bytes > 0 && isNewest(file, complete) && !selection.readiness.isMarker(files.nameOf(file)))
        if (selection.readiness.isReady(files, file, now)) complete = added(file, complete)
        else others = added(file, others)
      val directory = DirectoryNames.of(file)
      if (directory != latest) {
        latest = directory
        for ((name, value) <- DirectoryColumns.named(directory))
          values.getOrElseUpdate(name.toLowerCase, mutable.Set.empty) += value
      }
    }
    selection.finder.getOrElse(FileFinder.NonSplitting).find(files, rules)(visit)
    SchemaInference(if (complete.isEmpty) others else complete, values.view.mapValues(_.toSet).toMap)
  }
}
