// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import java.io.{InputStream, OutputStream}

import stoplog.fault.{Faults, Step}
import stoplog.storage.{FileStore, NoFiles, PutOutcome}

/** The files of a source's state, in a directory of its checkpoint. Each file is whole or not there.
  *
  * @param directory below the root of the files
  */
class StateFiles(files: FileStore, directory: String = "", faults: Faults = Faults.none)
    extends Serializable {

  /** The names of the files, in ascending order. */
  def list(): Vector[String] = files.names(directory).filterNot(_.startsWith(".")).sorted

  /** Error: `FileNotFoundException`. */
  def open(name: String): InputStream = files.open(at(name))

  /** Creates a file, whole and durable, unless there is one: of several callers, on any machines, one is told `Created`.
    */
  def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome = files.createIfAbsent(at(name)) {
    out =>
      write(out)
      out.flush()
      faults.at(Step.StateWritten)
  }

  /** Deletes a file. A file that is gone already is no error. */
  def delete(name: String): Unit = files.delete(Seq(at(name)))

  /** A directory in this one. */
  def in(below: String): StateFiles = new StateFiles(files, at(below), faults)

  /** The file's location, for messages. */
  def describe(name: String): String = files.describe(at(name))

  private def at(name: String): String = FileStore.path(directory, name)
}

object StateFiles {

  /** The state of a source that is read once: the files are not kept. */
  object None extends StateFiles(NoFiles) {
    override def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome = {
      write(OutputStream.nullOutputStream())
      PutOutcome.Created
    }

    override def in(below: String): StateFiles = this

    private def readResolve: AnyRef = None
  }
}
