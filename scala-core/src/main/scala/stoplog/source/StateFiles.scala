// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import java.io.{InputStream, OutputStream}

import stoplog.fault.{Faults, Step}
import stoplog.storage.{FileStore, NoFiles, PutOutcome, SinkDirectory}

/** The files of a source's state, in a directory of its checkpoint. Each file is complete or does not exist.
  *
  * @param directory below the root of the files
  */
class StateFiles(files: FileStore, directory: String = "", faults: Faults = Faults.none)
    extends Serializable {

  /** Returns the names of the files, in ascending order. */
  def list(): Vector[String] = files.names(directory).filterNot(isDraft).sorted

  /** Error: `FileNotFoundException`. */
  def open(name: String): InputStream = files.open(at(name))

  /** Creates a file, complete and durable, if it does not exist. Of several callers, on any machines, exactly
    * one receives `Created`.
    */
  def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome = files.createIfAbsent(at(name)) {
    out =>
      write(out)
      out.flush()
      faults.at(Step.StateWritten)
  }

  /** Deletes a file. Ignores a file that does not exist. */
  def delete(name: String): Unit = files.delete(Seq(at(name)))

  /** Returns a directory in this directory. */
  def in(below: String): StateFiles = new StateFiles(files, at(below), faults)

  /** Returns the file's location, for messages. */
  def describe(name: String): String = files.describe(at(name))

  /** Storages have drafts in hidden files, or in the directory of a sink. */
  private def isDraft(name: String): Boolean = name.startsWith(".") || name == SinkDirectory.Root

  private def at(name: String): String = FileStore.path(directory, name)
}

object StateFiles {

  /** The state of a source that is read once: files are not kept. */
  object None extends StateFiles(NoFiles) {
    override def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome = {
      write(OutputStream.nullOutputStream())
      PutOutcome.Created
    }

    override def in(below: String): StateFiles = this

    private def readResolve: AnyRef = None
  }
}
