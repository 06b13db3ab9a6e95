// SPDX-License-Identifier: Apache-2.0
package stoplog.store

import java.io.{InputStream, OutputStream}

import stoplog.part.SideFile
import stoplog.sink.Staged

/** Files beside the open parts of a sink: rows that do not fill a block of their format yet.
  *
  * They are written once, whole, and never changed. So a writer that should be gone can spoil nothing that a record
  * names, and nobody has to be kept from them (I1).
  */
trait SideStore {

  /** Writes a file under a name that nobody has used, and makes it durable. Answers its token.
    *
    * Error: `STOPLOG_STORE_WRITE`.
    */
  def write(part: NewPart)(content: OutputStream => Unit): String

  /** The file's bytes, which the caller closes. Errors: `STOPLOG_PART_SHORT` when it is not there, or not whole;
    * `STOPLOG_STORE_WRITE`.
    */
  def read(file: SideFile): InputStream

  /** All files that are there, named in a record or not. */
  def staged(): Vector[Staged]

  /** Removes files. Those that are gone already are no error. */
  def discard(tokens: Seq[String]): Unit
}

object SideStore {

  /** Of a sink that has no such files. */
  val none: SideStore = new SideStore {
    override def write(part: NewPart)(content: OutputStream => Unit): String =
      throw new IllegalStateException(s"a side file of ${part.name}, where there are none")
    override def read(file: SideFile): InputStream =
      throw new IllegalStateException(s"the side file ${file.token}, where there are none")
    override def staged(): Vector[Staged]           = Vector.empty
    override def discard(tokens: Seq[String]): Unit = ()
  }

  /** Where the files of a sink lie: in one directory, for the names of parts are unique. */
  def directory(sinkId: String): String = s"_stoplog/$sinkId/beside"

  /** A token that occurs once in the world, relative to the sink's path. */
  private[store] def token(sinkId: String, part: NewPart): String =
    s"${directory(sinkId)}/${part.name}.${part.run.uid}-${PartLayout.unique()}"
}
