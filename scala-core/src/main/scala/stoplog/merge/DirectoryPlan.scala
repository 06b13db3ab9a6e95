// SPDX-License-Identifier: Apache-2.0
package stoplog.merge

import java.io.IOException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.SparkContext

import stoplog.commit.CompactionPolicy
import stoplog.compact.{CompactionInput, Compactor}
import stoplog.error.{Causes, Errors, Log}
import stoplog.format.LineFiles
import stoplog.format.avro.AvroCompactor
import stoplog.format.compress.Compression
import stoplog.format.orc.OrcCompactor
import stoplog.format.parquet.ParquetCompactor
import stoplog.format.sequence.SequenceCompactor
import stoplog.options.DirectoryOptions
import stoplog.part.FinishedPart
import stoplog.place.SinkStorage
import stoplog.storage.{HiddenNames, SinkDirectory}
import stoplog.storage.hadoop.HadoopSettings

/** The files of a directory that become one. */
private[stoplog] final case class DirectoryGroup(
    inputs: Vector[FinishedPart],
    suffix: String,
    compactor: Compactor
)

private[stoplog] object DirectoryPlan {

  /** Groups of files of one directory, with the same end of their names and all else in common that their format asks
    * for: each at most of the target's size together.
    *
    * Files that cannot be read are left alone.
    */
  def groups(
      files: Vector[FinishedPart],
      format: DirectoryFormat,
      policy: CompactionPolicy,
      storage: SinkStorage,
      context: SparkContext
  ): Vector[DirectoryGroup] = {
    val known = for {
      ((directory, suffix), same) <- files
        .groupBy(file => (file.bucket, suffixOf(file.name)))
        .toVector
        .sortBy(_._1)
      compactor <- format.compactor(suffix)
      if same.sizeIs >= policy.minFiles
    } yield (directory, suffix, compactor, same)
    val alike =
      likeness(known.flatMap { case (_, _, compactor, same) => same.map(_ -> compactor) }, storage, context)
    known.flatMap { case (_, suffix, compactor, same) =>
      same
        .groupBy(alike.get)
        .collect { case (Some(_), others) => others }
        .toVector
        .sortBy(_.head.path)
        .flatMap { others =>
          filled(others, policy).map(DirectoryGroup(_, suffix, compactor))
        }
    }
  }

  /** From the first dot on, as in `part-0.snappy.parquet`. */
  private def suffixOf(name: String): String = if (name.contains('.')) name.drop(name.indexOf('.')) else ""

  /** In order, so that rows stay near those that were near them. */
  private def filled(files: Vector[FinishedPart], policy: CompactionPolicy): Vector[Vector[FinishedPart]] = {
    val bins = files.foldLeft(Vector(Vector.empty[FinishedPart])) { (bins, file) =>
      val last = bins.last
      val fits = last.map(_.sizeBytes).sum + file.sizeBytes <= policy.targetBytes && last.sizeIs < MostFiles
      if (last.isEmpty || fits) bins.init :+ (last :+ file) else bins :+ Vector(file)
    }
    bins.filter(_.sizeIs >= policy.minFiles)
  }

  /** Files have to be opened for this, so it is done by tasks. */
  private def likeness(
      files: Vector[(FinishedPart, Compactor)],
      storage: SinkStorage,
      context: SparkContext
  ): Map[FinishedPart, String] =
    if (files.isEmpty) Map.empty
    else {
      val hadoop = new HadoopSettings(context.hadoopConfiguration)
      val found  = context
        .parallelize(files.indices, files.size.min(context.defaultParallelism * 4))
        .map { index =>
          val (file, compactor) = files(index)
          val input = CompactionInput(storage.pathOf(file.path), file.sizeBytes, hadoop.configuration)
          val like  =
            try Option(compactor.likeness(input))
            catch { case NonFatal(e) => Log.warn(s"${input.path} is not merged", e); None }
          (index, like)
        }
        .collect()
      found.collect { case (index, Some(like)) => files(index)._1 -> like }.toMap
    }

  private val MostFiles = 1000
}

/** The files under a path that readers take for data. */
private[stoplog] final class DirectoryListing(path: String, root: Path, configuration: Configuration) {
  import DirectoryListing._

  private val system: FileSystem = root.getFileSystem(configuration)

  /** Smaller than so many bytes, and not empty. Error: `STOPLOG_NOT_COMPACTABLE`. */
  def smallerThan(bytes: Long): Vector[FinishedPart] = {
    if (!system.exists(root)) throw Errors.notCompactable(path, "there is no such directory")
    above.foreach(directory => refuseIfKept(directory, inside(directory)))
    under(root, "").filter(file => file.sizeBytes > 0 && file.sizeBytes < bytes)
  }

  private def under(directory: Path, relative: String): Vector[FinishedPart] = {
    val entries = system.listStatus(directory).toVector.sortBy(_.getPath.getName)
    val names   = entries.map(_.getPath.getName).toSet
    val others  = if (relative.isEmpty) names - SinkDirectory.Root else names // the path's own log is read
    refuseIfKept(directory, others)
    entries.filterNot(entry => HiddenNames.isHidden(entry.getPath.getName)).flatMap { entry =>
      val name = entry.getPath.getName
      if (entry.isDirectory) under(entry.getPath, if (relative.isEmpty) name else s"$relative/$name")
      else Vector(FinishedPart(relative, name, entry.getLen, records = 0, epoch = -1))
    }
  }

  private def above: Iterator[Path] = Iterator.iterate(root.getParent)(_.getParent).takeWhile(_ != null)

  private def inside(directory: Path)(name: String): Boolean = system.exists(new Path(directory, name))

  /** The directories above are asked the same as those below: most tables keep their files under a directory of its own.
    *
    * @param has whether the directory has an entry of this name
    */
  private def refuseIfKept(directory: Path, has: String => Boolean): Unit = {
    val iceberg =
      Option.when(has("metadata") && isIceberg(new Path(directory, "metadata")))("metadata" -> "Iceberg")
    val paimon = Option.when(Seq("snapshot", "manifest", "schema").forall(has))("snapshot" -> "Paimon")
    val hive   = Option.when(HiveWrite.matches(directory.getName))("the name of a write" -> "Hive")
    Kept.find(entry => has(entry._1)).orElse(iceberg).orElse(paimon).orElse(hive).foreach { case (what, by) =>
      throw Errors.notCompactable(path, s"$directory has $what and belongs to $by, which names the files")
    }
  }

  private def isIceberg(metadata: Path): Boolean =
    try
      system.getFileStatus(metadata).isDirectory &&
        system.listStatus(metadata).exists(_.getPath.getName.contains(".metadata.json"))
    catch {
      case e: IOException =>
        val why =
          s"$metadata cannot be looked into (${Causes.reason(e)}), and may name the files as Iceberg's metadata do"
        throw Errors.notCompactable(path, why)
    }
}

private object DirectoryListing {

  /** The entries of directories whose files must not be merged, each with who names these files. */
  private val Kept = Seq(
    SinkDirectory.Root  -> "a sink of stoplog that was given that directory",
    "_spark_metadata"   -> "Spark's own sink",
    "_delta_log"        -> "Delta Lake",
    ".hoodie"           -> "Hudi",
    "_orc_acid_version" -> "Hive",
    "_metadata_acid"    -> "Hive"
  )

  /** The directory of a transaction of Hive. */
  private val HiveWrite = """base_\d{7}(_v\d+)?|(delete_)?delta_\d{7}_\d{7}(_.*)?""".r
}

/** The merging of files in a directory of an unknown writer: as asked for, or as the names of the files say. */
private[stoplog] final class DirectoryFormat(
    options: DirectoryOptions,
    own: Option[Compactor],
    hadoop: Configuration
) {

  /** For files with this end of their names, with its dot; `None` where nothing is known of them. */
  def compactor(suffix: String): Option[Compactor] = own.orElse {
    val compression = Compression.All.filter(_.suffix.nonEmpty).find(c => suffix.endsWith(c.suffix))
    val bare        = compression.fold(suffix)(c => suffix.stripSuffix(c.suffix))
    val ending      = bare.drop(bare.lastIndexOf('.') + 1)
    options.format.getOrElse(DirectoryFormat.ofEnding.getOrElse(ending, "")) match {
      case "parquet"      => Some(ParquetCompactor(hadoop))
      case "orc"          => Some(OrcCompactor(hadoop))
      case "avro"         => Some(new AvroCompactor(hadoop.getInt("avro.mapred.sync.interval", SyncBytes)))
      case "sequencefile" => Some(SequenceCompactor)
      case "text"         => Some(lines(compression, LineFiles.Beginning.Row))
      case "json"         => Some(lines(compression, LineFiles.Beginning.Json))
      case "csv"          => Some(lines(compression, options.beginning))
      case _              => None
    }
  }

  private def lines(compression: Option[Compression], begin: LineFiles.Beginning): Compactor =
    new LineFiles(compression.getOrElse(Compression.None), begin, options.lineSep)

  private def SyncBytes = 64000
}

private[stoplog] object DirectoryFormat {

  /** Names tell nothing of a header, so that CSV has to be asked for. */
  private val ofEnding =
    Map("parquet" -> "parquet", "orc" -> "orc", "avro" -> "avro", "json" -> "json", "txt" -> "text")
}
