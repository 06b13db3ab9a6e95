// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{FileNotFoundException, InputStream, OutputStream}

/** A store that has no files and takes none: of a sink without spool files, or a source that is read once. */
object NoFiles extends FileStore {
  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit = ()
  override def names(directory: String): Vector[String]                               = Vector.empty
  override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo]    = Vector.empty
  override def stat(path: String): Option[FileInfo]                                   = None
  override def open(path: String): InputStream         = throw new FileNotFoundException(path)
  override def read(path: String): Option[Array[Byte]] = None
  override def create(path: String)(content: OutputStream => Unit): Unit               = refuse(path)
  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = refuse(path)
  override def mark(path: String): PutOutcome                                          = refuse(path)
  override def move(from: String, to: String): MoveOutcome = MoveOutcome.SourceGone
  override def duplicate(from: String, to: String): Unit   = refuse(to)
  override def delete(paths: Seq[String]): Unit            = ()
  override def deleteTree(directory: String): Unit         = ()
  override def deleteEmpty(directory: String): Unit        = ()
  override def isClosed(path: String): Option[Boolean]     = Some(true)
  override def describe(path: String): String              = path

  override def capabilities: FileCapabilities =
    FileCapabilities(Moves.Atomically, directories = true, lookAhead = false)

  private def refuse(path: String): Nothing =
    throw new IllegalStateException(s"$path was to be written, where there are no files")

  private def readResolve: AnyRef = NoFiles
}
