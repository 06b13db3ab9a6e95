// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Locale, ServiceLoader}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.part.RecordShare

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

  /** The ways in which parts can grow here. May write, to find out: called once there are bytes to write. */
  def growth(sinkId: String): Growth

  /** Tries all that a sink will need, and removes its trial files. Answers with a sentence about the trial.
    *
    * Errors: `STOPLOG_PATH_NOT_WRITABLE`, `STOPLOG_STORE_NOT_EXCLUSIVE`.
    */
  def probe(sinkId: String, layout: PartLayout): String

  /** Refuses a path that can be seen to be unfit without writing: a start that is refused for another reason must have
    * changed nothing. Error: `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def refuseUnfit(): Unit

  /** The reason why no unfinished part can be at this path, which a sink asks before it opens the part: a clause without a point at
    * the end. `None`, the default, where it can.
    *
    * @param path below the sink's path, and longer than any other name of the part
    */
  def pathProblem(path: String): Option[String] = None

  /** What parts that stay open may have in the record, rather than in a file or an object that each epoch writes. */
  private[stoplog] def inRecord: RecordShare = RecordShare.none

  /** Whether an unfinished part can be finished under any name, and not only under the one that it began with. */
  def finishesAnywhere: Boolean = true
}

/** The settings of a storage.
  *
  * @param durability    the failures that committed bytes survive
  * @param truncation    the treatment of the bytes behind the committed ones
  * @param configuration Hadoop's, with the user's settings of the storage
  * @param faults        the points at which tests stop it
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
      .find(_.scheme.contains(asked.toLowerCase(Locale.ROOT)))
      .orElse(all.find(_.scheme.isEmpty))
      .getOrElse(throw Errors.storeUnsupported(path, asked))
      .at(path, parsed.toUri, settings)
  }

  /** The files under each directory above the path, the nearest one first. Asks the storage for nothing.
    *
    * A directory of which the scheme's provider has no storage is left out: nothing can be there.
    */
  def above(path: HadoopPath, configuration: Configuration): Iterator[FileStore] = {
    val settings = StorageSettings(Durability.Process, Truncation.Allowed, configuration)
    Iterator
      .iterate(path.getParent)(_.getParent)
      .takeWhile(_ != null)
      .flatMap(directory => Try(at(directory.toString, settings).files("main")).toOption)
  }

  /** The URI scheme of a path, as it is written; for a path without one, that of Hadoop's default file system. */
  def scheme(path: HadoopPath, configuration: Configuration): String =
    Option(path.toUri.getScheme).getOrElse(FileSystem.getDefaultUri(configuration).getScheme)

  /** The [[Storage.pathProblem]] of a path that is too long in all.
    *
    * @param system what takes no more
    */
  private[storage] def tooLong(path: String, mostBytes: Int, system: String): Option[String] = {
    val bytes = path.getBytes(UTF_8).length
    Option.when(bytes > mostBytes)(s"the path of a part in it has $bytes bytes, and $system takes $mostBytes")
  }
}

/** The failures that committed bytes survive. */
sealed trait Durability extends Product with Serializable
object Durability {

  /** Bytes are forced to the disks before a record names them: they survive a power loss. */
  case object Disk extends Durability

  /** Bytes are handed to the operating system, or to the memory of the servers: they survive the death of any process,
    * but not a power loss.
    */
  case object Process extends Durability
}

/** The ways in which a storage can change a file that was closed. */
sealed trait Growth extends Product with Serializable
object Growth {

  /** Append to it, and cut it. */
  case object AppendAndTruncate extends Growth

  /** Append to it; to be cut, it has to be copied. */
  case object AppendOnly extends Growth

  /** Neither: it stays as it was written. */
  case object CreateOnly extends Growth

  /** The advice to a user whose storage cannot append. */
  val Larger: String =
    "For larger files set a longer trigger interval or distribution=byBucket, or write to a file system that can append."
}

/** The treatment that a user allows for the bytes behind the committed ones when a part is finished: they were never
  * committed (I2).
  */
sealed trait Truncation extends Product with Serializable {

  /** The name of a `.valid-length` file is the name of its part with this before and this behind it. */
  def prefix: String
  def suffix: String
}

object Truncation {

  /** Of a user who named none. */
  val DefaultPrefix: String = "_"
  val DefaultSuffix: String = ".valid-length"

  /** They are cut off, or left out of a copy. */
  case object Allowed extends Truncation {
    override def prefix: String = DefaultPrefix
    override def suffix: String = DefaultSuffix
  }

  /** They stay, and a file beside the part says how many bytes count. */
  final case class ValidLength(prefix: String, suffix: String) extends Truncation
}
