// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{EOFException, FileNotFoundException, InputStream, OutputStream}

import stoplog.error.Errors
import stoplog.part.SpoolFile
import stoplog.sink.Staged

/** Files with rows of open parts that do not fill a block of their format yet.
  *
  * They are written once, whole, and never changed. So a writer that should be gone can spoil nothing that a record names,
  * and no writer has to be kept from them (I1).
  */
private[stoplog] class SpoolFiles(files: FileStore, sinkId: String) extends Serializable {
  private val directory = SinkDirectory(sinkId).spool

  /** Writes a file under a name that occurs once in the world, and makes it durable. Answers its token: its path below the
    * sink's path.
    *
    * Error: `STOPLOG_STORE_WRITE`.
    */
  def write(part: NewPart)(content: OutputStream => Unit): String = {
    val token = s"$directory/${part.name}.${part.run.uid}-${PartLayout.unique()}"
    files.create(token)(content)
    token
  }

  /** The file's bytes, which the caller closes. Errors: `STOPLOG_PART_SHORT` when it is not there, or not whole;
    * `STOPLOG_STORE_WRITE`.
    */
  def read(file: SpoolFile): InputStream =
    try files.openWhole(file.token, file.sizeBytes)
    catch {
      case _: FileNotFoundException => throw short(file, 0)
      case e: EOFException          =>
        val actual = files.stat(file.token).fold(0L)(_.bytes)
        throw if (actual < file.sizeBytes) short(file, actual)
        else Errors.storeWrite(files.describe(file.token), "it could not be read to its end", e)
    }

  /** The same asked of the storage itself, for a caller to which it means something that another process has deleted the
    * file: `None` when it is not there, or not whole.
    */
  def find(file: SpoolFile): Option[InputStream] =
    try files.stat(file.token).filter(_.bytes >= file.sizeBytes).map(_ => files.open(file.token))
    catch { case _: FileNotFoundException => None }

  /** All files that are there, named in a record or not. */
  def staged(): Vector[Staged] =
    files.list(directory).map(file => Staged(file.path, file.modifiedMillis.getOrElse(0)))

  /** See [[FileStore.refuseUnseen]]. */
  def refuseUnseen(tokens: Seq[String]): Unit = files.refuseUnseen(tokens)

  /** Deletes files. A file that is gone already is no error. */
  def discard(tokens: Seq[String]): Unit = files.delete(tokens)

  private def short(file: SpoolFile, actual: Long): Throwable =
    Errors.partShort(files.describe(file.token), actual, file.sizeBytes)
}

private[stoplog] object SpoolFiles {

  /** Of a sink that has no such files. */
  val none: SpoolFiles = new SpoolFiles(NoFiles, "none")
}
