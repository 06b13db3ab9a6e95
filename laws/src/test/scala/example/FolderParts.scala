// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.{CREATE_NEW, WRITE}
import java.nio.file.{NoSuchFileException, OpenOption}

import scala.util.Using

import stoplog.error.Errors
import stoplog.part.{Closed, Publish, Resume, RunId}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._

/** The second seam of a storage: parts that grow. An unfinished part is a file under its in-progress name, which is its
  * token; to publish it is to move it.
  *
  * The store cannot tell which writers are alive, and never says that all are gone. So the first micro-batch after a start
  * goes on in copies.
  */
final class FolderParts(folder: Folder, files: FileStore, sinkId: String, layout: PartLayout)
    extends PartStore
    with Serializable {

  override def create(part: NewPart): PartOutput = {
    val token = layout.inProgress(part, PartLayout.unique())
    folder.io(token)(at => folder.make(at.getParent))
    output(token, 0, CREATE_NEW, WRITE)
  }

  override def resume(open: Resume, validBytes: Long): PartOutput = {
    refuseShort(open, validBytes)
    output(open.token, validBytes, WRITE)
  }

  /** In a copy, of which no earlier writer knows the name. */
  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput = {
    refuseShort(open, validBytes)
    val copy = create(part)
    try
      Using.resource(files.open(open.token)) { in =>
        val buffer = new Array[Byte](64 << 10)
        while (copy.position < validBytes) {
          val count = in.read(buffer, 0, (validBytes - copy.position).min(buffer.length.toLong).toInt)
          if (count < 0) throw Errors.partShort(files.describe(open.token), copy.position, validBytes)
          copy.write(buffer, 0, count)
        }
      }
    catch { case e: Throwable => copy.close(); throw e }
    copy
  }

  override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed =
    takeOver(open, validBytes, part).finish()

  /** A move takes the unfinished name away in the same step. So a part is published once. */
  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
    files.stat(part.token).map(_.bytes).foreach { actual =>
      if (actual < sizeBytes) throw Errors.partShort(files.describe(part.token), actual, sizeBytes)
      if (actual > sizeBytes) cut(part.token, sizeBytes)
    }
    def taken =
      Errors.nameTaken(files.describe(finishedPath), "the file of this name is not this part")
    files.move(part.token, finishedPath) match {
      case MoveOutcome.Moved       => CommitOutcome.Committed
      case MoveOutcome.TargetTaken => throw taken
      case MoveOutcome.SourceGone  =>
        files.stat(finishedPath).map(_.bytes) match {
          case Some(`sizeBytes`) => CommitOutcome.AlreadyCommitted
          case Some(_)           => throw taken
          case None              => CommitOutcome.Lost
        }
    }
  }

  /** Drafts of records are among them, wherever the layout has its parts. */
  override def staged(): Vector[Staged] = {
    val drafts = SinkDirectory(sinkId).open
    val found  = Vector(drafts, layout.root).distinct.flatMap(files.walk(_)(_ => true)).distinctBy(_.path)
    found.flatMap { file =>
      val token = if (file.path.startsWith(s"$drafts/")) Some(file.path) else layout.tokenOf(file.path)
      token.map(Staged(_, file.modifiedMillis.getOrElse(0)))
    }
  }

  override def discard(token: String): Unit = files.delete(Seq(token))

  override def enter(run: RunId): AutoCloseable = () => ()

  override def othersGone(run: RunId): Boolean = false

  private def output(token: String, from: Long, how: OpenOption*): PartOutput = folder.io(token) { at =>
    val channel = FileChannel.open(at, how: _*)
    channel.truncate(from).position(from)
    new FolderOutput(folder, token, channel, from)
  }

  private def refuseShort(open: Resume, validBytes: Long): Unit = {
    val actual = files.stat(open.token).fold(-1L)(_.bytes)
    if (actual < validBytes) throw Errors.partShort(files.describe(open.token), actual.max(0), validBytes)
  }

  /** What lies behind the recorded length was never committed. */
  private def cut(token: String, sizeBytes: Long): Unit = folder.io(token) { at =>
    try Using.resource(FileChannel.open(at, WRITE))(_.truncate(sizeBytes).force(true))
    catch { case _: NoSuchFileException => () } // another process has published it meanwhile
  }
}

/** The open end of a part. */
private final class FolderOutput(folder: Folder, token: String, channel: FileChannel, from: Long)
    extends PartOutput {
  private var written = from

  override def position: Long = written

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    val left = ByteBuffer.wrap(bytes, offset, length)
    folder.io(token)(_ => while (left.hasRemaining) channel.write(left))
    written += length
  }

  override def persist(inRecordBytes: Int): Resume = {
    end()
    Resume(token)
  }

  override def finish(): Closed = {
    end()
    Closed(token)
  }

  override def close(): Unit = channel.close()

  private def end(): Unit =
    try
      folder.io(token) { at =>
        channel.force(true)
        folder.force(at.getParent) // the name may be new, too
      }
    finally close()
}
