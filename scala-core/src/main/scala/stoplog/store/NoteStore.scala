// SPDX-License-Identifier: Apache-2.0
package stoplog.store

import stoplog.log.PutOutcome

/** Small files for readers, markers and manifests, each created once, whole, and never changed (I6).
  *
  * Paths are relative to the sink's path.
  */
trait NoteStore {

  /** Creates the file, whole and durable, unless there is one. An exception means that the outcome is unknown: asking
    * again is told `Taken` if it was created after all, and finds its bytes.
    */
  def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome

  /** The file's bytes; `None` when it is not there. */
  def read(path: String): Option[Array[Byte]]

  /** The files in a directory whose names begin like this, in no particular order. */
  def list(directory: String, prefix: String): Vector[Note]

  /** Removes files. Those that are gone already are no error. */
  def delete(paths: Seq[String]): Unit
}

/** A small file that is there. */
final case class Note(path: String, modifiedAtMillis: Long) {
  def name: String = path.substring(path.lastIndexOf('/') + 1)
}

object NoteStore {

  /** Of a sink that writes nothing for readers beside its data. */
  val none: NoteStore = new NoteStore {
    override def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome =
      throw new IllegalStateException(s"$path was to be written, where there are no notes")
    override def read(path: String): Option[Array[Byte]]               = None
    override def list(directory: String, prefix: String): Vector[Note] = Vector.empty
    override def delete(paths: Seq[String]): Unit                      = ()
  }

  /** The path of a name in a directory, which may be the sink's path itself. */
  def path(directory: String, name: String): String = if (directory.isEmpty) name else s"$directory/$name"
}
