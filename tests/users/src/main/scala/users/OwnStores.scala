// SPDX-License-Identifier: Apache-2.0
package users

import java.io.{InputStream, OutputStream}

import stoplog.fault.Faults
import stoplog.log._
import stoplog.part._
import stoplog.sink._
import stoplog.storage._

/** Another storage. Nothing here does anything: whoever can compile it can write one. */
object OwnStores {
  class OwnRecordStore extends LogFiles {
    override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = ???
    override def read(seq: Long): Option[Array[Byte]] = ???
    override def list(): Vector[Long] = ???
    override def delete(seq: Long): Unit = ???
    override def markPublished(seq: Long): PutOutcome = ???
    override def isPublished(seq: Long): Boolean = ???
    override def noteVisible(seq: Long, number: Int, paths: Set[String]): PutOutcome = ???
    override def visible(seq: Long, number: Int): Option[Set[String]] = ???
    override def describe(seq: Long): String = ???
  }

  class OwnFinishedStore extends ReplacedFiles {
    override def sizeBytes(path: String): Option[Long] = ???
    override def hide(seq: Long, path: String): Unit = ???
    override def restore(seq: Long, path: String): Unit = ???
    override def keep(path: String, as: String): Unit = ???
    override def forget(seq: Long): Unit = ???
    override def hiddenFor(): Vector[Long] = ???
  }

  class OwnJobStore extends JobDirectory {
    override def visible(): Vector[VisibleFile] = ???
    override def finished: ReplacedFiles = ???
    override def removeEmptied(directories: Seq[String]): Unit = ???
    override def remove(faults: Faults): Unit = ???
    override def untouchedSince(millis: Long): Boolean = ???
  }

  class OwnNoteStore extends FileStore {
    override def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome = ???
    override def read(path: String): Option[Array[Byte]] = ???
    override def list(directory: String, prefix: String): Vector[Note] = ???
    override def delete(paths: Seq[String]): Unit = ???
  }

  class OwnPartOutput extends PartOutput {
    override def position: Long = ???
    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = ???
    override def persist(): Resume = ???
    override def finish(): Closed = ???
    override def close(): Unit = ???
  }

  class OwnPartStore extends OwnPolicies.OwnTwoPhaseCommitter with PartStore {
    override def create(part: NewPart): PartOutput = ???
    override def resume(open: Resume, validBytes: Long): PartOutput = ???
    override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput = ???
    override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed = ???
    override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = ???
    override def discard(token: String): Unit = ???
    override def enter(run: RunId): WriterLease = ???
    override def othersGone(run: RunId): Boolean = ???
  }

  class OwnWriterLease extends WriterLease {
    override def close(): Unit = ???
  }

  class OwnSideStore extends SpoolFiles {
    override def write(part: NewPart)(content: OutputStream => Unit): String = ???
    override def read(file: SideFile): InputStream = ???
    override def staged(): Vector[Staged] = ???
    override def discard(tokens: Seq[String]): Unit = ???
  }
}
