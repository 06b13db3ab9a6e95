// SPDX-License-Identifier: Apache-2.0
package stoplog.filesource

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.format.read.{DirectoryColumns, DirectoryFilter, ReadFormats, SparkBlocks, Vectors}
import stoplog.options.SourceOptions
import stoplog.source.SplitSource
import stoplog.source.file._
import stoplog.storage.SourceFiles

/** The file source that options ask for. */
private[stoplog] object FileReads {

  /** The columns where the user named none. Errors: `STOPLOG_SOURCE_SCHEMA`, `STOPLOG_SOURCE_PATH`. */
  def schema(options: SourceOptions): StructType = {
    val root = SourceRoot.of(options.content.paths)
    SourceColumns.inferred(options, SourcePlaces.files(root), rulesNow(options, root))
  }

  /** @param columns that there are
    * @param wanted  those that the query wants
    * @param filters see [[stoplog.format.read.ReadFormats.of]]
    */
  def source(
      options: SourceOptions,
      columns: StructType,
      wanted: StructType,
      filters: Seq[Filter]
  ): FileRead = {
    val root        = SourceRoot.of(options.content.paths)
    val files       = SourcePlaces.files(root)
    val directories = SourceColumns.ofDirectories(options, columns, files, rulesNow(options, root))
    val format      = ReadFormats.of(options.content.read, columns, wanted, filters, directories)
    val needed      = new SomeFiles(files, new DirectoryFilter(filters, directories))
    FileRead(make(options, root, needed, format), vectors(format), pushed(format, filters, directories))
  }

  /** Error: `STOPLOG_SOURCE_PATH` when a path names something that is not there. */
  def refuseNothing(options: SourceOptions): Unit = {
    val root  = SourceRoot.of(options.content.paths)
    val files = SourcePlaces.files(root)
    for ((path, inRoot) <- root.whole if files.find(inRoot).isEmpty)
      throw Errors.sourcePath(path, "no such file or directory")
  }

  private def vectors(format: FileFormat[_, InternalRow]): Vectors = format match {
    case blocks: SparkBlocks => blocks.vectors
    case _                   => Vectors.Rows
  }

  private def pushed(
      format: FileFormat[_, InternalRow],
      filters: Seq[Filter],
      directories: DirectoryColumns
  ): PushedFilters = {
    val (ofDirectories, others) = filters.partition(_.references.exists(directories.has))
    format match {
      case _: SparkBlocks => PushedFilters(ofDirectories, others)
      case _              => PushedFilters(ofDirectories, Nil)
    }
  }

  private def rulesNow(options: SourceOptions, root: SourceRoot): PathRules =
    rules(options, root).at(System.currentTimeMillis())

  private def rules(options: SourceOptions, root: SourceRoot): PathRules = PathRules(
    root.below,
    options.files.names,
    options.files.nesting,
    options.files.dates,
    SparkSession.active.sparkContext.defaultParallelism
  )

  private def make[R](
      options: SourceOptions,
      root: SourceRoot,
      files: SourceFiles,
      format: FileFormat[R, InternalRow]
  ): SplitSource[FileSplit, _, InternalRow] = {
    val framing = options.files.finder.foldLeft(format.framing(files))(new FoundSplitter(_, _))
    def source(framing: FileSplitter) = new FileSplitSource(
      s"stoplog ${options.content.paths.mkString(", ")} (${options.content.read.format.word})",
      Enumeration(
        files,
        rules(options, root),
        framing,
        options.follow.onChangedFile,
        options.files.readiness,
        options.follow.cleaning,
        options.follow.monitorIntervalMillis,
        onMergedPart = options.follow.onMergedPart,
        finder = options.files.finder.filter(_ != FileFinder.NonSplitting), // who finds what is found without
        wholeListingMillis = options.follow.wholeListingMillis
      ),
      format,
      options.follow.onMissing,
      faults = Faults.ofThisJvm
    )
    options.follow.quarantine match {
      case None            => source(framing)
      case Some(directory) =>
        new QuarantiningSource(source(new BrokenFraming(framing)), files, SourcePlaces.state(directory))
    }
  }
}

/** A source of files, and what its readers hand out. */
private[stoplog] final case class FileRead(
    source: SplitSource[FileSplit, _, InternalRow],
    vectors: Vectors,
    filters: PushedFilters
)

/** Which of a query's filters leave out directories, and which blocks of files. Spark looks at the rows all the same. */
private[stoplog] final case class PushedFilters(directories: Seq[Filter], blocks: Seq[Filter])
