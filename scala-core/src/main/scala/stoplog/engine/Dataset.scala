// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import java.net.URI

import stoplog.error.Redaction

/** Files as lineage tools name them, by OpenLineage's rules for file systems.
  *
  * {{{
  * Dataset.at(new URI("s3a://lake/events/"), "parquet") // Dataset("s3://lake", "events", "parquet")
  * }}}
  *
  * @param namespace the file system: `file`, `s3://bucket`, `hdfs://namenode:8020`
  * @param name      the path in the file system
  * @param format    the word of the format, or [[Dataset.OwnFormat]]
  */
private[stoplog] final case class Dataset(namespace: String, name: String, format: String)

private[stoplog] object Dataset {

  /** The format of files that user code writes or reads. */
  final val OwnFormat = "custom"

  /** @param location a directory or a file, with the scheme of its file system
    */
  def at(location: URI, format: String): Dataset = {
    val scheme = Option(location.getScheme).getOrElse("file")
    val path   = Option(location.getPath).getOrElse("").reverse.dropWhile(_ == '/').reverse
    // Lineage leaves the process: an authority may contain a password.
    val in = Redaction.text(s"://${Option(location.getAuthority).getOrElse("")}")
    ObjectStores.get(scheme) match {
      case Some(known)              => Dataset(known + in, filled(path.dropWhile(_ == '/')), format)
      case None if scheme == "file" => Dataset("file", filled(path), format)
      case None                     => Dataset(scheme + in, filled(path), format)
    }
  }

  private def filled(path: String): String = if (path.isEmpty) "/" else path

  /** The scheme in the namespace, by the scheme of a location: several schemes lead to the same objects. */
  private val ObjectStores = Map(
    "s3"    -> "s3",
    "s3a"   -> "s3",
    "s3n"   -> "s3",
    "gs"    -> "gs",
    "abfs"  -> "abfss",
    "abfss" -> "abfss",
    "wasb"  -> "wasbs",
    "wasbs" -> "wasbs"
  )
}
