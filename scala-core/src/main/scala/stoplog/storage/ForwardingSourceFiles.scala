// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.InputStream
import java.net.URI

/** Forwards every call about the storage to other [[SourceFiles]]. Subclasses change single calls.
  *
  * [[unfiltered]] and [[leavesOut]] are not forwarded: these calls describe the filter of this object.
  */
private[stoplog] abstract class ForwardingSourceFiles(files: SourceFiles) extends SourceFiles {
  override def list(directory: String)(each: Found => Unit): Unit = files.list(directory)(each)
  override def find(path: String): Option[Found]                  = files.find(path)
  override def state(directory: String): Option[DirectoryState]   = files.state(directory)
  override def canAppend: Boolean                                 = files.canAppend
  override def open(file: SourceFile, from: Long): InputStream    = files.open(file, from)
  override def delete(path: String): Boolean                      = files.delete(path)
  override def move(path: String, to: String): MoveOutcome        = files.move(path, to)
  override def moveProblem(to: String): Option[String]            = files.moveProblem(to)
  override def looksAreLocal: Boolean                             = files.looksAreLocal
  override def describe(path: String): String                     = files.describe(path)
  override def locate(path: String): URI                          = files.locate(path)

  private[stoplog] override def committed(file: SourceFile): SourceFile = files.committed(file)
}
