// SPDX-License-Identifier: Apache-2.0
package stoplog.compact.job

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext

import stoplog.commit.CompactionPolicy
import stoplog.compact.{CompactionInput, Compactor}
import stoplog.error.Log
import stoplog.format.LineFiles
import stoplog.format.avro.AvroCompactor
import stoplog.format.compress.Compression
import stoplog.format.orc.OrcCompactor
import stoplog.format.parquet.ParquetCompactor
import stoplog.format.sequence.SequenceCompactor
import stoplog.options.{DirectoryOptions, SparkHadoop}
import stoplog.part.FinishedPart
import stoplog.storage.VisibleFile
import stoplog.storage.hadoop.HadoopSettings
import stoplog.stores.SinkStorage

/** The files of a directory to be compacted to one file.
  *
  * @param committed the committed bytes of the inputs with further bytes, by path
  */
private[stoplog] final case class DirectoryGroup(
    inputs: Vector[FinishedPart],
    committed: Map[String, Long],
    suffix: String,
    compactor: Compactor
)

private[stoplog] object DirectoryPlan {

  /** Returns groups of files of one directory, with the same suffix and an equal [[Compactor.likeness]]. Each
    * group has at most the target's size.
    *
    * Files that cannot be read stay unchanged.
    */
  def groups(
      files: Vector[VisibleFile],
      format: DirectoryFormat,
      policy: CompactionPolicy,
      storage: SinkStorage,
      context: SparkContext
  ): Vector[DirectoryGroup] = {
    val committed =
      files.filter(file => file.committedBytes != file.storedBytes).map(f => f.path -> f.committedBytes).toMap
    val known = for {
      ((directory, suffix), same) <- files
        .map(_.asPart)
        .filterNot(file => BucketOfTable.matches(file.name))
        .groupBy(file => (file.bucket, suffixOf(file.name)))
        .toVector
        .sortBy(_._1)
      compactor <- format.compactor(suffix)
      if same.sizeIs >= policy.minFiles
    } yield (directory, suffix, compactor, same)
    val alike =
      likeness(
        known.flatMap { case (_, _, compactor, same) => same.map(_ -> compactor) },
        committed,
        storage,
        context
      )
    known.flatMap { case (_, suffix, compactor, same) =>
      same
        .groupBy(alike.get)
        .collect { case (Some(_), others) => others }
        .toVector
        .sortBy(_.head.path)
        .flatMap { others =>
          filled(others, policy).map(inputs =>
            DirectoryGroup(
              inputs,
              committed.filter { case (path, _) => inputs.exists(_.path == path) },
              suffix,
              compactor
            )
          )
        }
    }
  }

  /** Returns the name from the first dot, as in `part-0.snappy.parquet`. */
  private def suffixOf(name: String): String = if (name.contains('.')) name.drop(name.indexOf('.')) else ""

  /** Fills groups in order, so that adjacent rows stay near each other. */
  private def filled(files: Vector[FinishedPart], policy: CompactionPolicy): Vector[Vector[FinishedPart]] = {
    val bins = files.foldLeft(Vector(Vector.empty[FinishedPart])) { (bins, file) =>
      val last = bins.last
      val fits = last.map(_.sizeBytes).sum + file.sizeBytes <= policy.targetBytes && last.sizeIs < MostFiles
      if (last.isEmpty || fits) bins.init :+ (last :+ file) else bins :+ Vector(file)
    }
    bins.filter(_.sizeIs >= policy.minFiles)
  }

  /** Runs in tasks, because files have to be opened. */
  private def likeness(
      files: Vector[(FinishedPart, Compactor)],
      committed: Map[String, Long],
      storage: SinkStorage,
      context: SparkContext
  ): Map[FinishedPart, String] =
    if (files.isEmpty) Map.empty
    else {
      val hadoop = new HadoopSettings(SparkHadoop.configuration)
      val found  = context
        .parallelize(files.indices, files.size.min(context.defaultParallelism * 4))
        .map { index =>
          val (file, compactor) = files(index)
          val input             = CompactionInput(
            storage.pathOf(file.path),
            committed.getOrElse(file.path, file.sizeBytes),
            hadoop.configuration,
            storedBytes = committed.get(file.path).map(_ => file.sizeBytes)
          )
          val like =
            try Option(compactor.likeness(input))
            catch { case NonFatal(e) => Log.warn(s"${input.path} is not compacted", e); None }
          (index, like)
        }
        .collect()
      found.collect { case (index, Some(like)) => files(index)._1 -> like }.toMap
    }

  private val MostFiles = 1000

  /** The names of files of a table that Spark has written by `bucketBy`: each name has the bucket of all rows
    * of the file.
    */
  private val BucketOfTable = """part-\d+-[0-9a-f-]{36}_\d{5,}\..*""".r
}

/** The compaction of files of an unknown writer: by the requested format, or by the names of the files. */
private[stoplog] final class DirectoryFormat(
    options: DirectoryOptions,
    own: Option[Compactor],
    hadoop: Configuration
) {

  /** Returns the compactor for names with this suffix and its dot; `None` if the format is unknown. */
  def compactor(suffix: String): Option[Compactor] = own.orElse {
    val compression = Compression.All.filter(_.suffix.nonEmpty).find(c => suffix.endsWith(c.suffix))
    val bare        = compression.fold(suffix)(c => suffix.stripSuffix(c.suffix))
    val ending      = bare.drop(bare.lastIndexOf('.') + 1)
    val format      = options.format.getOrElse(DirectoryFormat.ofEnding.getOrElse(ending, ""))
    beginningOf(format) match {
      case Some(_) if compression.isEmpty && LineFiles.areCompressed(suffix, hadoop) => None
      case Some(begin)                                                               =>
        Some(new LineFiles(compression.getOrElse(Compression.None), begin, options.lineSep))
      case None => ofBlocks(format)
    }
  }

  private def beginningOf(format: String): Option[LineFiles.Beginning] =
    format match {
      case "text" => Some(LineFiles.Beginning.Row)
      case "json" => Some(LineFiles.Beginning.Json)
      case "csv"  => Some(options.beginning)
      case _      => None
    }

  private def ofBlocks(format: String): Option[Compactor] =
    format match {
      case "parquet"      => Some(ParquetCompactor(hadoop))
      case "orc"          => Some(OrcCompactor(hadoop))
      case "avro"         => Some(new AvroCompactor(hadoop.getInt("avro.mapred.sync.interval", SyncBytes)))
      case "sequencefile" => Some(SequenceCompactor)
      case _              => None
    }

  private def SyncBytes = 64000
}

private[stoplog] object DirectoryFormat {

  /** Names do not show a header, so CSV must be requested. */
  private val ofEnding =
    Map("parquet" -> "parquet", "orc" -> "orc", "avro" -> "avro", "json" -> "json", "txt" -> "text")
}
