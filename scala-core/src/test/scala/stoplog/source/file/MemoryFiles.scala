// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{ByteArrayInputStream, EOFException, FileNotFoundException, InputStream}
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import stoplog.storage.{DirectoryId, DirectoryState, FileId, Found, MoveOutcome, SourceFile, SourceFiles}

/** A storage whose files are in memory, and whose clock is theirs. */
final class MemoryFiles extends SourceFiles {
  private val files = mutable.TreeMap.empty[String, (Array[Byte], Long)]

  /** How often each file was opened. */
  val opened: mutable.Map[String, Int] = mutable.Map.empty[String, Int].withDefaultValue(0)

  /** How often a directory was listed. */
  var listings: Int = 0

  /** The directories that were listed, in their order. */
  val listed: mutable.ArrayBuffer[String] = mutable.ArrayBuffer.empty

  /** The clock of the times of directories, if the storage keeps them. */
  var clock: Option[() => Long] = None

  private val changed = mutable.Map.empty[String, Long]

  override def state(directory: String): Option[DirectoryState] =
    clock.flatMap(_ => changed.get(directory)).map(DirectoryState(_, id(directory)))

  /** Whether directories have identities. */
  var hasIds: Boolean = true

  /** The device that directories are on, as this process numbers it. */
  var device: Long = 1

  private val ids     = mutable.Map.empty[String, Long]
  private var lastId  = 0L
  private val stashed = mutable.Map.empty[String, MemoryFiles.Stash]
  private val empty   = mutable.Set.empty[String]

  private def id(directory: String): Option[DirectoryId] =
    Option.when(hasIds)(DirectoryId(ids.getOrElseUpdate(directory, nextId()), Some(device)))

  private def nextId(): Long = {
    lastId += 1
    lastId
  }

  /** A disk is unmounted: the mount point is another, empty directory. */
  def unmount(directory: String): Unit = synchronized {
    takeAway(directory)
    empty += directory
    ids(directory) = nextId()
    changed(directory) = 0
  }

  /** A directory is renamed to a place where the source does not look. */
  def takeAway(directory: String): Unit = synchronized {
    val below = files.toVector.filter { case (path, _) => isBelow(path, directory) }
    stashed(directory) = MemoryFiles.Stash(below, ids.get(directory), changed.get(directory))
    files --= below.map(_._1)
    if (directory.isEmpty) isAway = true else touch(directory)
  }

  /** The disk, or the directory, is there again. Files that came to the mount point meanwhile are hidden. */
  def putBack(directory: String): Unit = synchronized {
    val stash = stashed.remove(directory).get
    files --= files.keys.filter(isBelow(_, directory)).toVector
    if (directory.nonEmpty) touch(directory)
    files ++= stash.files
    empty -= directory
    isAway = false
    ids.remove(directory)
    stash.id.foreach(ids(directory) = _)
    stash.changed.foreach(changed(directory) = _)
  }

  /** All files and directories get new numbers, as a copy of the disk has. */
  def renumber(): Unit = ids.clear()

  /** The files of all that is away. */
  def awayPaths: Set[String] = stashed.values.flatMap(_.files.map(_._1)).toSet

  private def isBelow(path: String, directory: String) = directory.isEmpty || path.startsWith(s"$directory/")

  /** Whether nothing is at the root, as on a disk that is away. */
  var isAway: Boolean = false

  override def canAppend: Boolean = appends

  /** Whether this is a storage where files grow. */
  var appends: Boolean = false

  /** Called behind the next listing: for what happens then. */
  var afterListing: () => Unit = () => ()

  /** Thrown by the next listing. */
  var trouble: Option[Exception] = None

  def put(path: String, text: String, modifiedMillis: Long): Unit =
    put(path, text.getBytes(UTF_8), modifiedMillis)

  /** In place, if the file exists: it keeps its id. */
  def put(path: String, bytes: Array[Byte], modifiedMillis: Long): Unit = {
    if (!files.contains(path)) {
      touch(path)
      newFileId(path)
    }
    files(path) = (bytes, modifiedMillis)
  }

  /** By a rename over the file. */
  def replace(path: String, text: String, modifiedMillis: Long): Unit = {
    touch(path)
    newFileId(path)
    files(path) = (text.getBytes(UTF_8), modifiedMillis)
  }

  /** Whether files have ids, as on local disks and HDFS. */
  var hasFileIds: Boolean = false

  private val fileIds = mutable.Map.empty[String, FileId]

  private def newFileId(path: String): Unit = if (hasFileIds) fileIds(path) = FileId(nextId())

  private def idOf(path: String): FileId = fileIds.getOrElse(path, FileId.Unknown)

  override def delete(path: String): Boolean = synchronized {
    val was = files.remove(path)
    fileIds -= path
    touch(path)
    was.isDefined
  }

  override def move(path: String, to: String): MoveOutcome = synchronized {
    if (!files.contains(path)) MoveOutcome.SourceGone
    else if (files.contains(to)) MoveOutcome.TargetTaken
    else {
      files(to) = files(path)
      fileIds.get(path).foreach(fileIds(to) = _)
      touch(to)
      delete(path)
      MoveOutcome.Moved
    }
  }

  def paths: Set[String] = files.keySet.toSet

  /** Whether listings tell the ETags of files, as on object stores. */
  var hasTags: Boolean = false

  private def tagOf(bytes: Array[Byte]): Option[String] =
    Option.when(hasTags)(java.util.Arrays.hashCode(bytes).toHexString)

  def file(path: String): SourceFile = there(path).flatMap(_.file(path)).get

  override def list(directory: String)(each: Found => Unit): Unit = {
    listings += 1
    listed += directory
    val prefix = if (directory.isEmpty) "" else s"$directory/"
    val below  = files.toVector.collect {
      case (path, what) if path.startsWith(prefix) => path.drop(prefix.length) -> what
    }
    val directories = below.collect { case (path, _) if path.contains('/') => path.takeWhile(_ != '/') } ++
      empty
        .filter(path => path.startsWith(prefix) && path.nonEmpty)
        .map(_.drop(prefix.length).takeWhile(_ != '/'))
    directories.distinct.foreach(name => each(Found(name, Found.Directory, None, id(prefix + name))))
    below.foreach {
      case (name, (bytes, modified)) if !name.contains('/') =>
        each(
          Found(
            name,
            Found.File(bytes.length.toLong, modified),
            fileId = idOf(prefix + name),
            tag = tagOf(bytes)
          )
        )
      case _ => ()
    }
    trouble.foreach { e =>
      trouble = None
      throw e
    }
    val after = afterListing
    afterListing = () => ()
    after()
  }

  /** How often the storage was asked for each path. */
  val asked: mutable.Map[String, Int] = mutable.Map.empty[String, Int].withDefaultValue(0)

  override def find(path: String): Option[Found] = {
    synchronized(asked(path) += 1)
    if (isAway && empty.isEmpty) None else there(path)
  }

  private def there(path: String): Option[Found] = synchronized(files.get(path)) match {
    case Some((bytes, modified)) =>
      Some(Found(path, Found.File(bytes.length.toLong, modified), fileId = idOf(path), tag = tagOf(bytes)))
    case None =>
      Option.when(path.isEmpty || empty(path) || files.keysIterator.exists(_.startsWith(s"$path/")))(
        Found(path, Found.Directory, None, id(path))
      )
  }

  /** The directory that has got or lost an entry: also of one that came or went with it. */
  private def touch(path: String): Unit = clock.foreach { now =>
    var at   = path
    var more = true
    while (more) {
      val parent = at.take(at.lastIndexOf('/').max(0))
      changed(parent) = now()
      more = parent.nonEmpty && !empty(parent) && !files.keysIterator.exists(isBelow(_, parent))
      at = parent
    }
  }

  override def open(file: SourceFile, from: Long): InputStream = {
    opened(file.path) += 1
    val (bytes, _) = files.getOrElse(file.path, throw new FileNotFoundException(file.path))
    if (from > bytes.length) throw new EOFException(s"no byte $from") // as HDFS and object stores have it
    new ByteArrayInputStream(bytes, from.toInt, bytes.length)
  }

  override def describe(path: String): String = s"memory:$path"

  override def locate(path: String): URI = new URI("memory", null, s"/$path", null)
}

object MemoryFiles {
  private final case class Stash(
      files: Vector[(String, (Array[Byte], Long))],
      id: Option[Long],
      changed: Option[Long]
  )
}
