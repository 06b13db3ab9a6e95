// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{EOFException, FileNotFoundException, InputStream, OutputStream}

import stoplog.error.Errors
import stoplog.part.SpoolFile
import stoplog.sink.Staged

/** Files with rows of open parts that do not fill a block of their format yet.
  *
  * Each file is written once, as a whole, and never changed. So a writer of an ended run cannot damage the
  * data of any record, and need not be fenced (I1).
  */
private[stoplog] class SpoolFiles(files: FileStore, sinkId: String) extends Serializable {
  private val directory = SinkDirectory(sinkId).spool

  /** Writes a file under a globally unique name, and makes the file durable. Returns the token: the path
    * below the sink's path.
    *
    * Error: `STOPLOG_STORE_WRITE`.
    */
  def write(part: NewPart)(content: OutputStream => Unit): String = {
    val token = s"$directory/${part.name}.${part.run.uid}-${PartLayout.unique()}"
    files.create(token)(content)
    token
  }

  /** Opens the file's bytes; the caller closes the stream. Errors: `STOPLOG_PART_SHORT` if the file does not
    * exist or is incomplete; `STOPLOG_STORE_WRITE`.
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

  /** Like [[read]], but always requests the file from the storage. For callers that have to notice the
    * deletion of the file by another process. Returns `None` if the file does not exist or is incomplete.
    */
  def find(file: SpoolFile): Option[InputStream] =
    try Option.when(exists(file))(files.open(file.token))
    catch { case _: FileNotFoundException => None }

  /** Returns whether the file exists and is complete. Always requests the file from the storage. */
  def exists(file: SpoolFile): Boolean = files.stat(file.token).exists(_.bytes >= file.sizeBytes)

  /** Returns all existing files, with or without a record. */
  def staged(): Vector[Staged] =
    files.list(directory).map(file => Staged(file.path, file.modifiedMillis.getOrElse(0)))

  /** See [[FileStore.refuseUnseen]]. */
  def refuseUnseen(tokens: Seq[String]): Unit = files.refuseUnseen(tokens)

  /** Deletes files. Ignores files that do not exist any more. */
  def discard(tokens: Seq[String]): Unit = files.delete(tokens)

  private def short(file: SpoolFile, actual: Long): Throwable =
    Errors.partShort(files.describe(file.token), actual, file.sizeBytes)
}

private[stoplog] object SpoolFiles {

  /** For a sink without spool files. */
  val none: SpoolFiles = new SpoolFiles(NoFiles, "none")
}
