// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{InputStream, OutputStream}

/** A store of files over another one, for a test that changes some of its calls. */
class DelegatingFileStore(real: FileStore) extends FileStore {
  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit =
    real.visit(directory, prefix)(each)
  override def names(directory: String): Vector[String]                            = real.names(directory)
  override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo] =
    real.walk(directory)(enter)
  override def stat(path: String): Option[FileInfo]                      = real.stat(path)
  override def exists(path: String): Boolean                             = real.exists(path)
  override def link(path: String): Option[Link]                          = real.link(path)
  override def open(path: String): InputStream                           = real.open(path)
  override def read(path: String): Option[Array[Byte]]                   = real.read(path)
  override def create(path: String)(content: OutputStream => Unit): Unit = real.create(path)(content)
  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome =
    real.createIfAbsent(path)(content)
  override def mark(path: String): PutOutcome                                  = real.mark(path)
  override def move(from: String, to: String): MoveOutcome                     = real.move(from, to)
  override def unmovable(directories: Seq[String], to: String): Option[String] =
    real.unmovable(directories, to)
  override def pathProblem(path: String): Option[String] = real.pathProblem(path)
  override def duplicate(from: String, to: String): Unit = real.duplicate(from, to)
  override def delete(paths: Seq[String]): Unit          = real.delete(paths)
  override def deleteTree(directory: String): Unit       = real.deleteTree(directory)
  override def deleteEmpty(directory: String): Unit      = real.deleteEmpty(directory)
  override def force(directory: String): Unit            = real.force(directory)
  override def isClosed(path: String): Option[Boolean]   = real.isClosed(path)
  override def describe(path: String): String            = real.describe(path)
  override def capabilities: FileCapabilities            = real.capabilities
}
