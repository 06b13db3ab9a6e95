// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{ByteArrayInputStream, EOFException, FileNotFoundException, InputStream}
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import stoplog.storage.{FileId, Found, MoveOutcome, SourceFile, SourceFiles}

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

  override def changedMillis(directory: String): Option[Long] = clock.flatMap(_ => changed.get(directory))

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
      newId(path)
    }
    files(path) = (bytes, modifiedMillis)
  }

  /** By a rename over the file. */
  def replace(path: String, text: String, modifiedMillis: Long): Unit = {
    touch(path)
    newId(path)
    files(path) = (text.getBytes(UTF_8), modifiedMillis)
  }

  /** Whether files have ids, as on local disks and HDFS. */
  var hasIds: Boolean = false

  private val ids    = mutable.Map.empty[String, FileId]
  private var lastId = 0L

  private def newId(path: String): Unit = if (hasIds) {
    lastId += 1
    ids(path) = FileId(lastId)
  }

  private def idOf(path: String): FileId = ids.getOrElse(path, FileId.Unknown)

  override def delete(path: String): Unit = synchronized {
    files -= path
    ids -= path
    touch(path)
  }

  override def move(path: String, to: String): MoveOutcome = synchronized {
    if (!files.contains(path)) MoveOutcome.SourceGone
    else if (files.contains(to)) MoveOutcome.TargetTaken
    else {
      files(to) = files(path)
      ids.get(path).foreach(ids(to) = _)
      touch(to)
      delete(path)
      MoveOutcome.Moved
    }
  }

  def paths: Set[String] = files.keySet.toSet

  def file(path: String): SourceFile =
    SourceFile(path, files(path)._1.length.toLong, files(path)._2, idOf(path))

  override def list(directory: String)(each: Found => Unit): Unit = {
    listings += 1
    listed += directory
    val prefix = if (directory.isEmpty) "" else s"$directory/"
    val below  = files.toVector.collect {
      case (path, what) if path.startsWith(prefix) => path.drop(prefix.length) -> what
    }
    below
      .collect { case (path, _) if path.contains('/') => path.takeWhile(_ != '/') }
      .distinct
      .foreach(name => each(Found(name, Found.Directory)))
    below.foreach {
      case (name, (bytes, modified)) if !name.contains('/') =>
        each(Found(name, Found.File(bytes.length.toLong, modified), id = idOf(prefix + name)))
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
    if (isAway) None else there(path)
  }

  private def there(path: String): Option[Found] = synchronized(files.get(path)) match {
    case Some((bytes, modified)) =>
      Some(Found(path, Found.File(bytes.length.toLong, modified), id = idOf(path)))
    case None =>
      Option.when(path.isEmpty || files.keysIterator.exists(_.startsWith(s"$path/")))(
        Found(path, Found.Directory)
      )
  }

  /** The directory that has got or lost an entry: also of one that came with it. */
  private def touch(path: String): Unit = clock.foreach { now =>
    var at   = path
    var more = true
    while (more) {
      val parent = at.take(at.lastIndexOf('/').max(0))
      more = !changed.contains(parent) && parent.nonEmpty
      changed(parent) = now()
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
