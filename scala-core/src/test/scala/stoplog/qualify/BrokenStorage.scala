// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

import java.io.{ByteArrayOutputStream, IOException, OutputStream}
import java.net.URI
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import stoplog.error.Errors
import stoplog.part.{Publish, Resume}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._

/** A storage over a correct storage that breaks one promise, within a window of a few milliseconds.
  *
  * @param breaks the name of the promise
  */
class BrokenStorage(real: Storage, breaks: String, windowMillis: Long) extends Storage {
  private val window = new BrokenStorage.Window(windowMillis)

  override def files(sinkId: String): FileStore = new BrokenFiles(real.files(sinkId), breaks, window)

  override def parts(sinkId: String, layout: PartLayout): PartStore =
    new BrokenParts(real.parts(sinkId, layout), real.files(sinkId), breaks, window)

  override def uri(relative: String): URI                        = real.uri(relative)
  override def growth(sinkId: String): Growth                    = real.growth(sinkId)
  override def probe(sinkId: String, layout: PartLayout): String = real.probe(sinkId, layout)
  override def refuseUnfit(): Unit                               = real.refuseUnfit()
}

object BrokenStorage {

  /** The paths that changed a moment ago, with the bytes that they had before. */
  private[qualify] final class Window(val millis: Long) extends Serializable {
    private val changed = new ConcurrentHashMap[String, (Long, Option[Array[Byte]])]()

    def change(path: String, before: Option[Array[Byte]]): Unit =
      changed.put(path, System.nanoTime() -> before): Unit

    /** Returns the former bytes of a path that changed within the window. */
    def before(path: String): Option[Option[Array[Byte]]] =
      Option(changed.get(path)).collect {
        case (at, bytes) if System.nanoTime() - at < millis * 1000000 => bytes
      }

    /** Returns the paths that were deleted within the window. */
    def deleted: Vector[String] = changed.keySet.asScala.toVector.filter(before(_).exists(_.isDefined))

    def isYoung(path: String): Boolean = before(path).isDefined

    def open(): Unit = Thread.sleep(millis)
  }
}

private final class BrokenFiles(real: FileStore, breaks: String, window: BrokenStorage.Window)
    extends DelegatingFileStore(real) {

  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = {
    val bytes = BrokenFiles.written(content)
    breaks match {
      case "create"         => checkedFirst(path, bytes)
      case "create: misfit" => throw new AbstractMethodError("getObject")
      case "create: loser"  => lastWriterWins(path, bytes)
      case "whole"          => inTwoSteps(path, bytes)
      case _                =>
        val outcome = real.putIfAbsent(path, bytes)
        if (outcome == PutOutcome.Created) window.change(path, None)
        outcome
    }
  }

  override def mark(path: String): PutOutcome =
    if (breaks == "mark") checkedFirst(path, Array.emptyByteArray) else real.mark(path)

  override def names(directory: String): Vector[String] = breaks match {
    case "list: late"  => real.names(directory).filterNot(name => window.isYoung(s"$directory/$name"))
    case "list: stale" => (real.names(directory) ++ deleted(directory)).distinct
    case _             => real.names(directory)
  }

  override def read(path: String): Option[Array[Byte]] =
    if (breaks == "read") window.before(path).getOrElse(real.read(path)) else real.read(path)

  override def exists(path: String): Boolean =
    if (breaks == "read") window.before(path).fold(real.exists(path))(_.isDefined) else real.exists(path)

  override def delete(paths: Seq[String]): Unit = breaks match {
    case "delete: denied" =>
      throw Errors.storeWrite(paths.mkString(", "), "Access Denied", new IOException("403"))
    case "delete: misfit" =>
      throw Errors.storeWrite(
        paths.mkString(", "),
        "no method",
        new IOException(new NoSuchMethodError("delete"))
      )
    case _ =>
      val before = paths.map(path => path -> real.read(path))
      real.delete(paths)
      before.foreach { case (path, bytes) => window.change(path, bytes) }
  }

  override def deleteTree(directory: String): Unit = breaks match {
    case "delete: denied" => throw Errors.storeWrite(directory, "Access Denied", new IOException("403"))
    case "delete" => real.delete(real.walk(directory)(_ => true).map(_.path).filterNot(window.isYoung))
    case _        => real.deleteTree(directory)
  }

  override def create(path: String)(content: OutputStream => Unit): Unit = {
    real.create(path)(content)
    window.change(path, None)
  }

  override def move(from: String, to: String): MoveOutcome = breaks match {
    case "move: over" if window.isYoung(to) =>
      real.delete(Seq(to))
      real.move(from, to)
    case "move: twice" if real.exists(from) =>
      window.open()
      if (real.move(from, to) == MoveOutcome.TargetTaken) MoveOutcome.TargetTaken else MoveOutcome.Moved
    case _ => real.move(from, to)
  }

  /** As a server that looks for the object, and writes the object afterwards. */
  private def checkedFirst(path: String, bytes: Array[Byte]): PutOutcome =
    if (real.exists(path)) PutOutcome.Taken
    else {
      window.open()
      replace(path, bytes)
      PutOutcome.Created
    }

  /** As a server that refuses the later writer, whose bytes remain. */
  private def lastWriterWins(path: String, bytes: Array[Byte]): PutOutcome = {
    val outcome = real.putIfAbsent(path, bytes)
    if (outcome == PutOutcome.Created) window.change(path, None)
    else if (window.isYoung(path)) replace(path, bytes)
    outcome
  }

  private def inTwoSteps(path: String, bytes: Array[Byte]): PutOutcome = {
    val outcome = real.putIfAbsent(path, bytes.take(bytes.length / 2))
    if (outcome == PutOutcome.Created) {
      window.open()
      replace(path, bytes)
    }
    outcome
  }

  private def replace(path: String, bytes: Array[Byte]): Unit = {
    real.delete(Seq(path))
    real.putIfAbsent(path, bytes): Unit
  }

  private def deleted(directory: String): Vector[String] =
    window.deleted.filter(_.startsWith(s"$directory/")).map(_.drop(directory.length + 1))
}

private object BrokenFiles {
  def written(content: OutputStream => Unit): Array[Byte] = {
    val out = new ByteArrayOutputStream()
    content(out)
    out.toByteArray
  }
}

private final class BrokenParts(
    real: PartStore,
    files: FileStore,
    breaks: String,
    window: BrokenStorage.Window
) extends PartStore {

  override def create(part: NewPart): PartOutput = real.create(part)

  override def resume(open: Resume, validBytes: Long): PartOutput = real.resume(open, validBytes)

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput = {
    window.change(s"${part.bucket}/${part.name}", None)
    real.takeOver(open, validBytes, part)
  }

  override def publish(part: Publish, sizeBytes: Long, path: String): CommitOutcome = breaks match {
    // As a server that completes an upload a second time.
    case "publish" if window.before(path).exists(_.isDefined) =>
      window.before(path).flatten.foreach(bytes => files.putIfAbsent(path, bytes))
      CommitOutcome.Committed
    case "publish: misfit" =>
      throw Errors.storeWrite(path, "no class", new IOException(new NoClassDefFoundError("Completed")))
    case "name" if window.isYoung(path) =>
      files.delete(Seq(path))
      real.publish(part, sizeBytes, path)
    case "grow" if window.isYoung(path) =>
      val outcome = real.publish(part, sizeBytes, path)
      val bytes   = files.read(path).get
      files.delete(Seq(path))
      files.putIfAbsent(path, bytes.dropRight(1))
      outcome
    case _ => real.publish(part, sizeBytes, path)
  }

  override def staged(): Vector[Staged]      = real.staged()
  override def discard(token: String): Unit  = real.discard(token)
  override def beforeRemoval(): Unit         = real.beforeRemoval()
  override def claimed(open: Resume): Resume = real.claimed(open)
}
