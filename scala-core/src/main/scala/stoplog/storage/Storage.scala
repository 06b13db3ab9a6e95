// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Locale, ServiceLoader}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}

import stoplog.error.{Errors, StoplogArgumentException}
import stoplog.fault.Faults
import stoplog.part.RecordShare

/** The storage under one path: the files and the parts.
  *
  * A custom storage implements this trait, [[FileStore]] and [[PartStore]], and has a [[StorageProvider]] for
  * the URI scheme. The published laws (`stoplog-laws`) test the implementation. The driver creates a storage
  * for each path and sends the storage to the executors by Java serialization.
  */
trait Storage extends Serializable {

  /** Returns the files under the path.
    *
    * @param sinkId the sink whose directory may contain drafts of files
    */
  def files(sinkId: String): FileStore

  /** Returns the parts of one sink under the path. */
  def parts(sinkId: String, layout: PartLayout): PartStore

  /** Returns the URI of a file below the path, with scheme and authority, as used by other readers. */
  def uri(relative: String): URI

  /** Returns the ways in which parts can grow. May write trial files. Called when bytes are to be written. */
  def growth(sinkId: String): Growth

  /** Tries all operations that a sink needs, and deletes its trial files. Returns a sentence about the trial.
    *
    * Errors: `STOPLOG_PATH_NOT_WRITABLE`, `STOPLOG_STORE_NOT_EXCLUSIVE`.
    */
  def probe(sinkId: String, layout: PartLayout): String

  /** Rejects a path that is known to be unsuitable without a write. A start that fails for another reason
    * must not have changed anything. Error: `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def refuseUnfit(): Unit

  /** Returns the reason why the storage cannot store an unfinished part at this path: a clause without a full
    * stop. `None`, the default, if it can. Called by a sink before it opens the part.
    *
    * @param path below the sink's path, and longer than any other name of the part
    */
  def pathProblem(path: String): Option[String] = None

  /** The maximum data of open parts in the record, instead of in a file or an object of each epoch. */
  private[stoplog] def inRecord: RecordShare = RecordShare.none

  /** Whether an unfinished part can be finished under any name, and not only under the initial name. */
  def finishesAnywhere: Boolean = true
}

/** The settings of a storage.
  *
  * @param durability    the failures that committed bytes survive
  * @param truncation    the handling of the bytes after the committed bytes
  * @param configuration Hadoop's configuration, with the user's settings of the storage
  * @param faults        the points at which tests stop the storage
  */
final case class StorageSettings(
    durability: Durability,
    truncation: Truncation,
    configuration: Configuration,
    faults: Faults = Faults.none
)

object StorageSettings {

  /** Returns the settings with which a source uses a storage. */
  def ofSource(configuration: Configuration): StorageSettings =
    StorageSettings(Durability.Disk, Truncation.Allowed, configuration, Faults.ofThisJvm)
}

/** Creates the storages of a URI scheme. `java.util.ServiceLoader` finds the provider on the driver, by the
  * file `META-INF/services/stoplog.storage.StorageProvider` of its jar.
  */
trait StorageProvider {

  /** The scheme of its paths, in lower case; `None` for paths that no other provider accepts. */
  def scheme: Option[String]

  /** Returns the storage of a path. Error: `STOPLOG_PATH_NOT_WRITABLE`.
    *
    * @param path as the user wrote it, for messages
    * @param uri  the same path, parsed by Hadoop
    */
  def at(path: String, uri: URI, settings: StorageSettings): Storage

  /** Returns the files that a source reads under a root. The default reads through [[Storage.files]].
    *
    * Overridden by storages that follow links, know the times of directories, or have errors of reading that
    * differ from those of writing. Errors: `STOPLOG_SOURCE_PATH`, and those of [[at]].
    */
  def input(root: SourceLocation, settings: StorageSettings): SourceFiles = {
    val top = new URI(root.uri.getScheme, root.uri.getAuthority, "/", null, null)
    new StoredSourceFiles(
      at(root.path, root.uri, settings),
      at(top.toString, top, settings),
      root.uri.getPath
    )
  }

  /** Returns the files of a source's state, in a directory that only this source uses. The default stores the
    * state in [[Storage.files]].
    *
    * Errors: `STOPLOG_STORE_NOT_EXCLUSIVE` if two drivers could both create the same file,
    * `STOPLOG_PATH_NOT_WRITABLE`.
    *
    * @param path as for [[at]]
    */
  def state(path: String, uri: URI, settings: StorageSettings): FileStore =
    at(path, uri, settings).files(Storage.SourceId)
}

/** The common root of a source's paths.
  *
  * @param path  the root, for messages
  * @param uri   the same path, parsed by Hadoop
  * @param named the paths below the root given by the user, relative to the root; each may be a link
  */
final case class SourceLocation(path: String, uri: URI, named: Vector[String])

object Storage {

  /** Returns the storage of a path, by its scheme or by Hadoop's default scheme. Parses the path as Hadoop
    * does, so that a path has the same meaning as in Spark's own formats.
    *
    * Errors: `STOPLOG_JAR_MISSING`, `STOPLOG_UPLOAD_PURGE`,
    * `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def at(path: String, settings: StorageSettings): Storage = {
    val parsed =
      try new HadoopPath(path)
      catch { case e: IllegalArgumentException => throw Errors.pathNotWritable(path, e.getMessage) }
    provider(parsed, settings.configuration).at(path, parsed.toUri, settings)
  }

  /** Returns the files that a source reads.
    *
    * Errors: `STOPLOG_JAR_MISSING`, `STOPLOG_SOURCE_PATH` for a server that does
    * not exist.
    *
    * @param root  the common root of the source's paths
    * @param named see [[SourceLocation]]
    */
  def input(root: HadoopPath, named: Vector[String], configuration: Configuration): SourceFiles =
    provider(root, configuration)
      .input(SourceLocation(root.toString, root.toUri, named), StorageSettings.ofSource(configuration))

  /** Returns the files of a source's state, in a directory of a query's checkpoint.
    *
    * Errors: `STOPLOG_STORE_NOT_EXCLUSIVE` if two drivers could both write the same record,
    * `STOPLOG_PATH_NOT_WRITABLE`.
    */
  def state(directory: String, configuration: Configuration): FileStore = {
    val path = new HadoopPath(directory)
    provider(path, configuration).state(directory, path.toUri, StorageSettings.ofSource(configuration))
  }

  /** Returns the files under each directory above the path, the nearest directory first. If a link leads to
    * the path, the directories above the real path follow. Makes no request to the storage.
    *
    * Skips a directory whose scheme has no storage here: nothing can be stored there. Every other failure of
    * the storage is an error of the first read, because the directory may have a table (P-118).
    */
  def above(path: HadoopPath, configuration: Configuration): Iterator[FileStore] = {
    val settings = StorageSettings(Durability.Process, Truncation.Allowed, configuration)
    Vector(path, withoutLinks(path, configuration)).distinct.iterator
      .flatMap(one => Iterator.iterate(one.getParent)(_.getParent).takeWhile(_ != null))
      .flatMap(toBeRead(_, settings))
  }

  /** Returns the files of a directory that is only read. Unlike [[at]], [[StorageProvider.state]] of Hadoop's
    * file systems does not fail if a mount cannot be looked up: the first read then reports the failure.
    */
  private def toBeRead(directory: HadoopPath, settings: StorageSettings): Option[FileStore] =
    try
      Some(provider(directory, settings.configuration).state(directory.toString, directory.toUri, settings))
    catch { case e: StoplogArgumentException if e.getCondition == "STOPLOG_JAR_MISSING" => None }

  private def withoutLinks(path: HadoopPath, configuration: Configuration): HadoopPath = {
    val uri = path.toUri
    if (scheme(path, configuration) != "file") path
    else new HadoopPath(uri.getScheme, uri.getAuthority, RealPath.of(uri.getPath))
  }

  /** Returns the URI scheme of a path; without a scheme, the scheme of Hadoop's default file system. */
  def scheme(path: HadoopPath, configuration: Configuration): String =
    Option(path.toUri.getScheme).getOrElse(FileSystem.getDefaultUri(configuration).getScheme)

  /** Returns why a path of a local disk cannot be used. `file://data/in` names the server `data`. */
  def localProblem(uri: URI): Option[String] = Option(uri.getAuthority).filter(_.nonEmpty).map { server =>
    s"it names the server $server, and a path of a local disk has no server: write " +
      s"file:///$server${uri.getPath} if this is the directory"
  }

  /** The id under which a source uses a storage, in place of a sink id. */
  private[storage] final val SourceId = "source"

  private def provider(path: HadoopPath, configuration: Configuration): StorageProvider = {
    val requested = scheme(path, configuration)
    val loader    = configuration.getClassLoader
    val all       = ServiceLoader.load(classOf[StorageProvider], loader).asScala.toVector
    all
      .find(_.scheme.contains(requested.toLowerCase(Locale.ROOT)))
      .orElse(all.find(_.scheme.isEmpty))
      .getOrElse(throw Errors.storeUnsupported(path.toString, requested))
  }

  /** Returns the [[Storage.pathProblem]] of a path whose total length exceeds the limit.
    *
    * @param system the system with the limit
    */
  private[storage] def tooLong(path: String, mostBytes: Int, system: String): Option[String] = {
    val bytes = path.getBytes(UTF_8).length
    Option.when(bytes > mostBytes)(
      s"the path of a part in it has $bytes bytes, and $system accepts $mostBytes"
    )
  }
}

/** The failures that committed bytes survive. */
sealed trait Durability extends Product with Serializable
object Durability {

  /** Bytes are forced to the disks before a record names them. Committed bytes survive a power loss. */
  case object Disk extends Durability

  /** Bytes are passed to the operating system, or to the memory of the servers. Committed bytes survive the
    * death of any process, but not a power loss.
    */
  case object Process extends Durability
}

/** The ways in which a storage can change a closed file. */
sealed trait Growth extends Product with Serializable
object Growth {

  /** The storage can append to the file and truncate the file. */
  case object AppendAndTruncate extends Growth

  /** The storage can append to the file. To truncate a file, the storage copies it. */
  case object AppendOnly extends Growth

  /** The storage cannot change the file. */
  case object CreateOnly extends Growth

  /** The advice to a user whose storage cannot append. */
  val Larger: String =
    "For larger files set a longer trigger interval or distribution=byBucket, or write to a file system " +
      "that can append."
}

/** The handling, permitted by the user, of the bytes after the committed bytes when a part is finished. These
  * bytes were never committed (I2).
  */
sealed trait Truncation extends Product with Serializable {

  /** The name of a `.valid-length` file is this prefix, the name of its part, and the suffix. */
  def prefix: String
  def suffix: String
}

object Truncation {

  /** The default if the user specifies no prefix. */
  val DefaultPrefix: String = "_"
  val DefaultSuffix: String = ".valid-length"

  /** The bytes are truncated, or omitted from a copy. */
  case object Allowed extends Truncation {
    override def prefix: String = DefaultPrefix
    override def suffix: String = DefaultSuffix
  }

  /** The bytes stay, and a file next to the part contains the number of valid bytes. */
  final case class ValidLength(prefix: String, suffix: String) extends Truncation
}
