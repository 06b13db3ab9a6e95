// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{FileNotFoundException, FilterInputStream, InputStream}
import java.util.concurrent.ConcurrentHashMap

import scala.util.Using

/** The files under a source's root with the rules of [[VisibleFiles]]. Rejects directories whose files belong
  * to a table. If a file has a valid-length file, reads the file only up to the valid length.
  *
  * Both rules use the listings that the source makes anyway. Serialization to the executors drops the state
  * from the listings.
  *
  * @param path    as the user wrote it, for messages
  * @param finding whether the source lists directories
  * @param above   the files of the directory above the root, for a root that is a file
  */
private[stoplog] final class CommittedSourceFiles(
    path: String,
    files: SourceFiles,
    finding: CommittedSourceFiles.Finding,
    above: () => SourceFiles
) extends ForwardingSourceFiles(files) {
  import CommittedSourceFiles._

  @transient private lazy val noted = ConcurrentHashMap.newKeySet[String]()

  override def list(directory: String)(each: Found => Unit): Unit = {
    val entries = new ForeignOwners.Entries(directory)
    files.list(directory) { found =>
      entries.see(found.name).filterNot(_.format == TableFormat.Stoplog).foreach { owner =>
        throw ForeignOwners.refusal(path, describe(owner.directory), owner)
      }
      if (HiddenNames.beginsHidden(found.name))
        Names.fileOf(FileStore.path(directory, found.name)).foreach(noted.add)
      each(found)
    }
  }

  private[stoplog] override def committed(file: SourceFile): SourceFile =
    if (finding == Finding.ByListing && file.path.nonEmpty && !noted.contains(file.path)) file
    else
      validBytes(file).filter(_ != file.bytes).fold(file) { bytes =>
        file.copy(bytes = bytes, storedBytes = Some(file.bytes))
      }

  override def open(file: SourceFile, from: Long): InputStream = {
    val in = files.open(file, from)
    if (file.storedBytes.isEmpty) in else new Limited(in, (file.bytes - from).max(0))
  }

  /** A job that replaces files hides the valid-length file after its file, possibly between the two calls.
    * Then the task that reads the file finds no file.
    */
  private def validBytes(file: SourceFile): Option[Long] = {
    val in   = if (file.path.isEmpty) above() else files
    val note = Names.of(if (file.path.isEmpty) nameOf(file) else file.path)
    try
      in.find(note).map(_.kind).collect { case Found.File(bytes, modified) =>
        Using.resource(in.open(SourceFile(note, bytes, modified), 0))(_.readNBytes(MostBytes))
      }
    catch { case _: FileNotFoundException => None }
  }.flatMap(ValidLengthNames.decoded)
}

private[stoplog] object CommittedSourceFiles {

  /** The way in which a source finds its files. */
  sealed trait Finding
  object Finding {

    /** By listings, which show valid-length files. */
    case object ByListing extends Finding

    /** By a user-defined class, which lists no valid-length files. Each file needs a separate lookup. */
    case object ByFinder extends Finding
  }

  private val Names = ValidLengthNames.standard

  /** More bytes than any valid-length file has. */
  private val MostBytes = 64

  /** Limits a stream to its first `left` bytes. */
  private final class Limited(in: InputStream, private var left: Long) extends FilterInputStream(in) {
    override def read(): Int =
      if (left <= 0) -1
      else {
        val byte = in.read()
        if (byte >= 0) left -= 1
        byte
      }

    override def read(bytes: Array[Byte], offset: Int, length: Int): Int =
      if (left <= 0 && length > 0) -1
      else {
        val count = in.read(bytes, offset, left.min(length.toLong).toInt)
        if (count > 0) left -= count
        count
      }

    override def skip(count: Long): Long = {
      val skipped = in.skip(count.min(left))
      left -= skipped
      skipped
    }

    override def available(): Int       = left.min(in.available().toLong).toInt
    override def markSupported: Boolean = false
  }
}
