// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import stoplog.storage.Truncation

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream, IOException}
import java.util.UUID

import org.apache.hadoop.fs.Path

/** The companions of finished files that are longer than what was committed: `<prefix><name><suffix>` beside the file
  * holds the number of bytes that count, as the BucketingSink wrote it: decimal digits in Java's modified UTF-8, so
  * behind two bytes that say how many digits there are. A reader of the file reads that many bytes of it.
  *
  * @param prefix begins with `.` or `_`, so that a companion is not taken for data
  */
final class ValidLengths(files: HadoopFiles, sinkId: String, prefix: String, suffix: String)
    extends Serializable {

  /** Says so durably, whole and once: by any number of processes, all of which say the same.
    *
    * @param finished the name that the part will have, or has
    */
  def note(finished: Path, validBytes: Long): Unit = if (!of(finished).contains(validBytes)) {
    val written = files.at(s"_stoplog/$sinkId/open/.valid-length.${UUID.randomUUID()}")
    val out     = files.fileSystem.create(written, false)
    try {
      out.write(ValidLengths.encoded(validBytes))
      out.hsync() // readers cut at it, whatever the durability
    } finally out.close()
    files.renameInto(written, companion(finished)) match {
      case Renamed.Done => ()
      case _            =>
        files.delete(written)
        if (!of(finished).contains(validBytes))
          throw new IOException(s"${companion(finished)} does not say $validBytes")
    }
  }

  /** The length that is noted for the file; `None` where all of it counts. */
  def of(finished: Path): Option[Long] = files.read(companion(finished)).flatMap(ValidLengths.decoded)

  /** Whether a finished file of this length holds this many bytes that count. */
  def isValid(finished: Path, actualBytes: Long, validBytes: Long): Boolean =
    actualBytes == validBytes || actualBytes > validBytes && of(finished).contains(validBytes)

  def forget(finished: Path): Unit = files.delete(companion(finished))

  private def companion(finished: Path): Path = {
    val path              = files.relative(finished)
    val (directory, name) = path.splitAt(path.lastIndexOf('/') + 1)
    files.at(s"$directory$prefix$name$suffix")
  }
}

object ValidLengths {

  /** With the names that the user asked for. */
  def of(files: HadoopFiles, sinkId: String, asked: Truncation): ValidLengths =
    new ValidLengths(files, sinkId, asked.prefix, asked.suffix)

  private def encoded(validBytes: Long): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    new DataOutputStream(bytes).writeUTF(validBytes.toString)
    bytes.toByteArray
  }

  private def decoded(bytes: Array[Byte]): Option[Long] =
    try new DataInputStream(new ByteArrayInputStream(bytes)).readUTF().toLongOption
    catch { case _: IOException => None }
}
