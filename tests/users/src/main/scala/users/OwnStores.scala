// SPDX-License-Identifier: Apache-2.0
package users

import java.io.{InputStream, OutputStream}
import java.net.URI

import stoplog.part._
import stoplog.sink._
import stoplog.storage._

/** Another storage. Nothing here does anything: it shows that users can compile one. */
object OwnStores {
  class OwnFileStore extends FileStore {
    override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit = ???
    override def names(directory: String): Vector[String] = ???
    override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo] = ???
    override def stat(path: String): Option[FileInfo] = ???
    override def open(path: String): InputStream = ???
    override def read(path: String): Option[Array[Byte]] = ???
    override def create(path: String)(content: OutputStream => Unit): Unit = ???
    override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = ???
    override def mark(path: String): PutOutcome = ???
    override def move(from: String, to: String): MoveOutcome = ???
    override def duplicate(from: String, to: String): Unit = ???
    override def delete(paths: Seq[String]): Unit = ???
    override def deleteTree(directory: String): Unit = ???
    override def deleteEmpty(directory: String): Unit = ???
    override def isClosed(path: String): Option[Boolean] = ???
    override def describe(path: String): String = ???
    override def capabilities: FileCapabilities = ???
  }

  class OwnPartOutput extends PartOutput {
    override def position: Long = ???
    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = ???
    override def persist(inRecordBytes: Int): Resume = ???
    override def finish(): Closed = ???
    override def close(): Unit = ???
  }

  class OwnPartStore extends PartStore {
    override def create(part: NewPart): PartOutput = ???
    override def resume(open: Resume, validBytes: Long): PartOutput = ???
    override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput = ???
    override def isolate(open: Resume, validBytes: Long, part: NewPart): Closed = ???
    override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = ???
    override def staged(): Vector[Staged] = ???
    override def discard(token: String): Unit = ???
    override def enter(run: RunId): AutoCloseable = ???
    override def othersGone(run: RunId): Boolean = ???
  }

  class OwnStorage extends Storage {
    override def files(sinkId: String): FileStore = ???
    override def parts(sinkId: String, layout: PartLayout): PartStore = ???
    override def uri(relative: String): URI = ???
    override def growth(sinkId: String): Growth = ???
    override def probe(sinkId: String, layout: PartLayout): String = ???
    override def refuseUnfit(): Unit = ???
  }

  class OwnStorageProvider extends StorageProvider {
    override def scheme: Option[String] = ???
    override def at(path: String, uri: URI, settings: StorageSettings): Storage = ???
    override def input(root: SourceLocation, settings: StorageSettings): SourceFiles = ???
    override def state(path: String, uri: URI, settings: StorageSettings): FileStore = ???
  }
}
