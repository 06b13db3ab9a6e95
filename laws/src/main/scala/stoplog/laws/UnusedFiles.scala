// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.{InputStream, OutputStream}

import stoplog.storage._

/** A base class of stores for tests: a subclass implements the methods that its test needs, and all other
  * calls fail.
  */
abstract class UnusedFiles extends FileStore {
  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit = unused(directory)
  override def names(directory: String): Vector[String] = list(directory).map(_.name)
  override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo]     = unused(directory)
  override def stat(path: String): Option[FileInfo]                                    = unused(path)
  override def open(path: String): InputStream                                         = unused(path)
  override def read(path: String): Option[Array[Byte]]                                 = unused(path)
  override def create(path: String)(content: OutputStream => Unit): Unit               = unused(path)
  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = unused(path)
  override def mark(path: String): PutOutcome              = putIfAbsent(path, Array.empty)
  override def move(from: String, to: String): MoveOutcome = unused(from)
  override def duplicate(from: String, to: String): Unit   = unused(from)
  override def delete(paths: Seq[String]): Unit            = unused(paths.mkString)
  override def deleteTree(directory: String): Unit         = unused(directory)
  override def deleteEmpty(directory: String): Unit        = unused(directory)
  override def isClosed(path: String): Option[Boolean]     = Some(true)
  override def describe(path: String): String              = path

  override def capabilities: FileCapabilities =
    FileCapabilities(Moves.Atomically, directories = true)

  private def unused(path: String): Nothing = throw new UnsupportedOperationException(path)
}
