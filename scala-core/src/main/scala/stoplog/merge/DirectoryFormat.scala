// SPDX-License-Identifier: Apache-2.0
package stoplog.merge

import org.apache.hadoop.conf.Configuration

import stoplog.compact.Compactor
import stoplog.error.Errors
import stoplog.format.LineFiles
import stoplog.format.avro.AvroCompactor
import stoplog.format.compress.Compression
import stoplog.format.orc.OrcCompactor
import stoplog.format.parquet.ParquetCompactor
import stoplog.format.sequence.SequenceCompactor

/** The merging of files in a directory of an unknown writer: as asked for, or as the names of the files say. */
private[stoplog] final class DirectoryFormat(
    format: Option[String],
    beginning: LineFiles.Beginning,
    own: Option[Compactor],
    hadoop: Configuration
) {

  /** For files with this end of their names, with its dot; `None` where nothing is known of them. */
  def compactor(suffix: String): Option[Compactor] = own.orElse {
    val compression = Compression.All.filter(_.suffix.nonEmpty).find(c => suffix.endsWith(c.suffix))
    val bare        = compression.fold(suffix)(c => suffix.stripSuffix(c.suffix))
    val ending      = bare.drop(bare.lastIndexOf('.') + 1)
    format.getOrElse(DirectoryFormat.ofEnding.getOrElse(ending, "")) match {
      case "parquet"       => Some(ParquetCompactor(hadoop))
      case "orc"           => Some(OrcCompactor(hadoop))
      case "avro"          => Some(new AvroCompactor(hadoop.getInt("avro.mapred.sync.interval", SyncBytes)))
      case "sequencefile"  => Some(SequenceCompactor)
      case "json" | "text" => Some(lines(compression, LineFiles.Beginning.Row))
      case "csv"           => Some(lines(compression, beginning))
      case _               => None
    }
  }

  private def lines(compression: Option[Compression], begin: LineFiles.Beginning): Compactor =
    new LineFiles(compression.getOrElse(Compression.None), begin)

  private def SyncBytes = 64000
}

private[stoplog] object DirectoryFormat {

  /** Names tell nothing of a header, so that CSV has to be asked for. */
  private val ofEnding =
    Map("parquet" -> "parquet", "orc" -> "orc", "avro" -> "avro", "json" -> "json", "txt" -> "text")

  /** Why files must not be merged here. Error: `STOPLOG_NOT_COMPACTABLE`. */
  def refuse(path: String, directory: String, entries: Set[String]): Unit = {
    val kept = Kept.collect { case (name, by) if entries(name) => s"$name, in which $by names the files" }
    kept.headOption.foreach(why => throw Errors.notCompactable(path, s"$directory has a $why"))
  }

  /** Which of the names that keep files from being merged are there. */
  def keptIn(exists: String => Boolean): Set[String] = Kept.map(_._1).filter(exists).toSet

  private val Kept = Seq(
    "_stoplog"        -> "a sink of stoplog that was given that directory",
    "_spark_metadata" -> "Spark's own sink",
    "_delta_log"      -> "Delta Lake",
    ".hoodie"         -> "Hudi"
  )
}
