// SPDX-License-Identifier: Apache-2.0
package stoplog.filesource

import java.io.InputStream

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import stoplog.checkpoint.SourceState
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.format.read.{DirectoryColumns, ReadFormats, SourceFormatName, SparkBlocks}
import stoplog.format.read.DirectoryColumns.DirectoryFilter
import stoplog.format.read.SparkBlocks.Vectors
import stoplog.options.{SourceOptions, SparkHadoop}
import stoplog.source.{SplitSource, StateFiles}
import stoplog.source.file._
import stoplog.source.file.Monitoring.OnChangedFile
import stoplog.storage._
import stoplog.storage.CommittedSourceFiles.Finding

/** Creates the file source for the options. */
private[stoplog] object FileReads {

  /** Returns the columns if the user specified no columns. Errors: `STOPLOG_SOURCE_SCHEMA`,
    * `STOPLOG_SOURCE_PATH`.
    */
  def schema(options: SourceOptions): StructType = {
    val root = SourceRoot.of(options.content.paths)
    SourceColumns.inferred(options, committed(options, root), rulesNow(options, root))
  }

  /** Returns the files as a source of rows.
    *
    * @param columns all columns
    * @param wanted  the columns read by the query
    * @param filters see [[stoplog.format.read.ReadFormats.of]]
    */
  def source(
      options: SourceOptions,
      columns: StructType,
      wanted: StructType,
      filters: Seq[Filter]
  ): FileRead = {
    val root  = SourceRoot.of(options.content.paths)
    val files = committed(options, root)
    refuseReadingBack(options, root)
    val directories = SourceColumns.ofDirectories(options, columns, files, rulesNow(options, root))
    val format = ReadFormats.of(settings(options), columns, wanted, inBlocks(options, filters), directories)
    val needed = new FilteredFiles(files, new DirectoryFilter(filters, directories))
    val quarantine = options.follow.quarantine.map(SourceState.in(_, SparkHadoop.configuration))
    val zone       = SourceColumns.zone(options, columns, directories)
    def made(onChanged: OnChangedFile) = make(options, onChanged, root, needed, zone, format, quarantine)
    FileRead(
      made(options.follow.monitoring.onChangedFile),
      once(options, made(OnChangedFile.Ignore), needed, format.splitter(needed)),
      vectors(format),
      pushed(format, filters, directories)
    )
  }

  /** @param all of the files in one listing, without a later listing */
  private def once[R](
      options: SourceOptions,
      all: SplitSource[FileSplit, R, InternalRow],
      files: SourceFiles,
      splitter: FileSplitter
  ): SplitSource[FileSplit, R, InternalRow] = options.follow.leftOut match {
    case None        => all
    case Some(notes) =>
      LeftOutSource.of(all, files, splitter, SourceState.in(notes, SparkHadoop.configuration))
  }

  /** Omitted rows are counted one by one. */
  private def settings(options: SourceOptions): SourceFormatName.ReadSettings = {
    val read = options.content.read
    if (options.follow.leftOut.isEmpty) read else read.copy(options = read.options + SparkBlocks.SingleRows)
  }

  /** The notes of a quarantine count all rows of a block, so no filter may exclude rows before. */
  private def inBlocks(options: SourceOptions, filters: Seq[Filter]): Seq[Filter] =
    if ((options.follow.quarantine ++ options.follow.leftOut).isEmpty) filters else Nil

  /** Rejects options that have no meaning for a stream. Error: `STOPLOG_INVALID_OPTIONS`. */
  def refuseStream(options: SourceOptions): Unit = if (options.follow.leftOut.isDefined)
    throw Errors.invalidOptions(Seq("readQuarantined is only for batch queries: use spark.read."))

  /** Checks the paths. Errors: `STOPLOG_SOURCE_PATH` if a path is neither a file nor a directory,
    * `STOPLOG_INVALID_OPTIONS` as [[refuseReadingBack]].
    */
  def check(options: SourceOptions): Unit = {
    val root  = SourceRoot.of(options.content.paths)
    val files = root.files
    refuseReadingBack(options, root)
    root.refuseForeign()
    for ((path, inRoot) <- root.whole if files.find(inRoot).isEmpty)
      throw Errors.sourcePath(path, "no such file or directory")
  }

  /** Returns the files to read, by the rules for foreign tables and committed bytes. Errors: those of
    * [[SourceRoot.files]], and `STOPLOG_JAR_MISSING` if Spark's readers of the format cannot read the
    * root.
    */
  private def committed(options: SourceOptions, root: SourceRoot): SourceFiles = {
    val files = root.files
    options.content.read.format match {
      case _: SourceFormatName.Blocks => root.refuseUnknownToHadoop()
      case _                          => ()
    }
    new CommittedSourceFiles(
      options.content.paths.mkString(", "),
      files,
      if (options.follow.leftOut.isEmpty && options.files.finder.forall(_ == FileFinder.NonSplitting))
        Finding.ByListing
      else Finding.ByFinder,
      () => SourceRoot.of(Vector(root.root.getParent.toString)).files
    )
  }

  /** Tries to archive if the stream archives files. Error: `STOPLOG_SOURCE_ARCHIVE`. */
  def refuseUnfitArchive(options: SourceOptions): Unit = options.follow.monitoring.cleaning match {
    case CleanSource.Archive(directory) =>
      val root = SourceRoot.of(options.content.paths)
      root.files.moveProblem(archive(options, root, directory)).foreach { why =>
        throw Errors.sourceArchive(options.content.paths.mkString(", "), directory, why)
      }
    case _ => ()
  }

  /** Rejects a checkpoint whose files the stream would read as input. Each micro-batch would cause another
    * one, and `cleanSource` would remove the files of the checkpoint.
    *
    * Error: `STOPLOG_INVALID_OPTIONS`.
    *
    * @param state the directory of this source in the checkpoint: `<checkpoint>/sources/<n>`
    */
  def refuseCheckpoint(options: SourceOptions, state: String): Unit = {
    val root       = SourceRoot.of(options.content.paths)
    val checkpoint = new HadoopPath(state).getParent.getParent
    val ofInput    = rules(options, root).copy(dates = None)
    root.pathOf(checkpoint.toString, checkpoint).foreach { path =>
      if (OfCheckpoint.exists(name => ofInput.includes(FileStore.path(path, name))))
        throw Errors.invalidOptions(
          Seq(
            s"checkpointLocation = '$checkpoint' is below path: the query would read its own checkpoint. " +
              "Set a directory outside of path, or a hidden directory such as _checkpoint."
          )
        )
    }
  }

  /** Rejects a stream that would read its own output, without an end. Rejects input in the directory of the
    * query's sink as well: a bucket may be the directory of the input, and readers of the sink would read the
    * input. A hidden directory is allowed.
    *
    * Error: `STOPLOG_INVALID_OPTIONS`.
    *
    * @param sink    the directory of the query's sink
    * @param example the path of a file as the sink may write it, below the directory
    */
  def refuseOutput(options: SourceOptions, sink: String, example: String): Unit = {
    val root      = SourceRoot.of(options.content.paths)
    val directory = new HadoopPath(sink)
    val isRead    = root.pathOf(sink, directory).exists { below =>
      rules(options, root).copy(dates = None).includes(FileStore.path(below, example))
    }
    val ofSink = SourceRoot(directory, Vector.empty, Vector.empty, Vector.empty)
    val inside = root.locations.map(new HadoopPath(_)).filter { location =>
      ofSink.pathOf(location.toString, location).exists(!HiddenNames.areIn(_))
    }
    val problem =
      if (isRead)
        Some(s"path includes '$directory', the path of the sink: the query would read its own output.")
      else
        inside.headOption.map(location =>
          s"path = '$location' is below the path of the sink, '$directory': the query may read its own output, and " +
            "readers of the sink would read the input."
        )
    // A finder returns files by rules of its own.
    problem.filter(_ => options.files.finder.forall(_ == FileFinder.NonSplitting)).foreach { why =>
      throw Errors.invalidOptions(Seq(s"$why Set separate directories, or a hidden directory such as _raw."))
    }
  }

  /** Files of every checkpoint. */
  private val OfCheckpoint = Seq("metadata", "offsets/0")

  /** Returns the path of the archive on the file system of the input. Error: `STOPLOG_SOURCE_ARCHIVE`. */
  private def archive(options: SourceOptions, root: SourceRoot, directory: String): String =
    root.onSameSystem(directory).getOrElse {
      throw Errors.sourceArchive(
        options.content.paths.mkString(", "),
        directory,
        "it is on another file system, and files are only moved within a file system"
      )
    }

  /** Rejects places for the source's own files inside the input of the source. Such a query would never end.
    *
    * Error: `STOPLOG_INVALID_OPTIONS`.
    */
  private def refuseReadingBack(options: SourceOptions, root: SourceRoot): Unit = {
    // A range of dates may move, or be changed later.
    val always                                        = rules(options, root).copy(dates = None)
    def isRead(directory: String, system: HadoopPath) = root.pathOf(directory, system).exists(always.reaches)
    def holdsRoot(directory: String)                  = {
      val uri     = root.root.toUri
      val there   = new HadoopPath(uri.getScheme, uri.getAuthority, directory)
      val archive = SourceRoot(there, Vector.empty, Vector.empty, Vector.empty)
      archive
        .pathOf(root.root.toString, root.root)
        .exists(below => below.nonEmpty && always.reaches(below)) &&
      root.files.find("").forall(_.kind == Found.Directory)
    }
    val archive = options.follow.monitoring.cleaning match {
      case CleanSource.Archive(directory) if isRead(directory, root.root) =>
        Some(s"sourceArchiveDir = '$directory' is below path: archived files would be read again.")
      case CleanSource.Archive(directory) if root.onSameSystem(directory).exists(holdsRoot) =>
        Some(
          s"sourceArchiveDir = '$directory' is above path: files of a nested directory of the same name would be " +
            "archived in path, and read again."
        )
      case _ => None
    }
    val notes = options.follow.quarantine
      .filter(directory => isRead(directory, new HadoopPath(directory)))
      .map(directory => s"quarantinePath = '$directory' is below path: the notes would be read.")
    val problems = archive.toSeq ++ notes
    if (problems.nonEmpty) throw Errors.invalidOptions(problems)
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
      onChanged: OnChangedFile,
      root: SourceRoot,
      files: SourceFiles,
      zone: Option[String],
      format: FileFormat[R, InternalRow],
      quarantine: Option[StateFiles]
  ): SplitSource[FileSplit, _, InternalRow] = {
    val monitoring = options.follow.monitoring
    val splitter   = options.files.finder.foldLeft(format.splitter(files))(new FileSplitter.Chosen(_, _))
    def source(splitter: FileSplitter) = new FileSplitSource(
      options.content.paths.mkString(", "),
      Enumeration(
        files,
        FileSelection(
          rules(options, root),
          options.files.readiness,
          // a finder that only forbids cuts finds the same files as a listing
          options.files.finder.filter(_ != FileFinder.NonSplitting)
        ),
        splitter,
        monitoring.copy(onChangedFile = onChanged, cleaning = cleaning(options, root, quarantine)),
        zone
      ),
      format,
      options.follow.onMissing,
      faults = Faults.ofThisJvm
    )
    quarantine match {
      case None        => source(splitter)
      case Some(place) =>
        val lenient = new FileSplitter.Lenient(splitter)
        new QuarantiningSource(source(lenient), files, place, lenient)
    }
  }

  private def cleaning(
      options: SourceOptions,
      root: SourceRoot,
      quarantine: Option[StateFiles]
  ): CleanSource =
    (options.follow.monitoring.cleaning, quarantine) match {
      case (CleanSource.Delete, Some(notes))   => new CleanSource.DeleteNoted(notes)
      case (CleanSource.Archive(directory), _) => CleanSource.Archive(archive(options, root, directory))
      case (requested, _)                      => requested
    }

  /** Files without the directories excluded by a filter, which are not listed either. The filter checks each
    * file before the file is opened.
    */
  private final class FilteredFiles(files: SourceFiles, filter: DirectoryFilter)
      extends ForwardingSourceFiles(files) {

    override def list(directory: String)(each: Found => Unit): Unit = files.list(directory) { found =>
      if (found.kind != Found.Directory || !leavesOut(FileStore.path(directory, found.name))) each(found)
    }

    override def open(file: SourceFile, from: Long): InputStream = {
      filter.check(file, describe(file.path))
      files.open(file, from)
    }

    override def unfiltered: SourceFiles = files

    override def leavesOut(directory: String): Boolean = !filter.enters(directory)
  }

  /** A source of files, and the output of its readers.
    *
    * @param source of a streaming query
    * @param once   of a batch query
    */
  final case class FileRead(
      source: SplitSource[FileSplit, _, InternalRow],
      once: SplitSource[FileSplit, _, InternalRow],
      vectors: Vectors,
      filters: PushedFilters
  )

  /** The filters of a query that exclude directories, and the filters that exclude blocks of files. Spark
    * still filters the rows.
    */
  final case class PushedFilters(directories: Seq[Filter], blocks: Seq[Filter])
}
