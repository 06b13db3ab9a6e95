// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.net.URI
import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}

import stoplog.error.Errors
import stoplog.fault.Faults

/** The storage under one path: its files, and the parts that grow there.
  *
  * A storage of one's own is an implementation of this trait, of [[FileStore]] and of [[PartStore]], with a
  * [[StorageProvider]] that names its URI scheme; the published laws (`stoplog-laws`) are its test. The driver makes one
  * for each path and sends it to the executors by Java serialization.
  */
trait Storage extends Serializable {

  /** The files under the path.
    *
    * @param sinkId in whose directory a file may be drafted before it is created whole
    */
  def files(sinkId: String): FileStore

  /** The parts of one sink under the path. */
  def parts(sinkId: String, layout: PartLayout): PartStore

  /** A file below the path, with scheme and authority, as other readers of the storage name it. */
  def uri(relative: String): URI

  /** The ways in which parts can grow here. May write, to find out: called when there is something to be written. */
  def growth(sinkId: String): Growth

  /** Tries all that a sink will need, and removes what it made. Answers with a sentence that says what was done.
    *
    * Errors: `STOPLOG_PATH_NOT_WRITABLE`, `STOPLOG_STORE_NOT_EXCLUSIVE`.
    */
  def probe(sinkId: String, layout: PartLayout): String

  /** Refuses a path that can be seen to be unfit without writing: a start that is refused for another reason must have
    * changed nothing. Error: `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def refuseUnfit(): Unit

  /** Whether an unfinished part can be finished under any name, and not only under the one that it began with. */
  def finishesAnywhere: Boolean = true
}

/** How a storage is used.
  *
  * @param durability    what committed bytes survive
  * @param truncation    what may be done with the bytes behind the committed ones
  * @param configuration Hadoop's, with the user's settings of the storage
  * @param faults        where tests stop it
  */
final case class StorageSettings(
    durability: Durability,
    truncation: Truncation,
    configuration: Configuration,
    faults: Faults = Faults.none
)

/** Makes the storages of a URI scheme. `java.util.ServiceLoader` finds it by the file
  * `META-INF/services/stoplog.storage.StorageProvider` of its jar, on the driver.
  */
trait StorageProvider {

  /** The scheme of its paths, in lower case; `None` for paths that no other provider takes. */
  def scheme: Option[String]

  /** The storage of a path. Error: `STOPLOG_PATH_NOT_WRITABLE`.
    *
    * @param path as the user wrote it, for messages
    * @param uri  the same as Hadoop reads it
    */
  def at(path: String, uri: URI, settings: StorageSettings): Storage
}

object Storage {

  /** The storage of a path, by its scheme, or Hadoop's default one. Read as Hadoop reads paths, so that a path means what
    * it means to Spark's own formats.
    *
    * Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_HADOOP_AWS`, `STOPLOG_UPLOAD_PURGE`, `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def at(path: String, settings: StorageSettings): Storage = {
    val parsed =
      try new HadoopPath(path)
      catch { case e: IllegalArgumentException => throw Errors.pathNotWritable(path, e.getMessage) }
    val asked  = scheme(parsed, settings.configuration)
    val loader = settings.configuration.getClassLoader
    val all    = ServiceLoader.load(classOf[StorageProvider], loader).asScala.toVector
    all
      .find(_.scheme.contains(asked.toLowerCase))
      .orElse(all.find(_.scheme.isEmpty))
      .getOrElse(throw Errors.storeUnsupported(path, asked))
      .at(path, parsed.toUri, settings)
  }

  def scheme(path: HadoopPath, configuration: Configuration): String =
    Option(path.toUri.getScheme).getOrElse(FileSystem.getDefaultUri(configuration).getScheme)
}
