// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.IOException
import java.util.UUID

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.sink.CommitOutcome
import stoplog.storage.{Growth, SinkDirectory, Truncation, ValidLengthNames}

/** Writes and reads the valid-length files of finished files that are longer than their committed bytes. */
private[stoplog] final class ValidLengths(files: HadoopFiles, sinkId: String, names: ValidLengthNames)
    extends Serializable {

  /** Writes the valid-length file durably, as a whole and once. Any number of processes may call the method
    * with the same length.
    *
    * @param finished the name that the part will have, or has
    */
  def note(finished: Path, validBytes: Long): Unit = if (!of(finished).contains(validBytes)) {
    val written = files.at(s"${SinkDirectory(sinkId).open}/.valid-length.${UUID.randomUUID()}")
    val out     = files.fileSystem.create(written, false)
    try {
      out.write(ValidLengthNames.encoded(validBytes))
      out.hsync() // readers truncate at this length, regardless of the durability
    } finally out.close()
    files.renameInto(written, companion(finished)) match {
      case HadoopFiles.Renamed.Done => ()
      case _                        =>
        files.delete(written)
        if (!of(finished).contains(validBytes))
          throw new IOException(s"${companion(finished)} does not contain $validBytes")
    }
  }

  /** Returns the valid length of the file; `None` if all bytes are valid. */
  def of(finished: Path): Option[Long] = files.read(companion(finished)).flatMap(ValidLengthNames.decoded)

  /** Whether a finished file of this length holds this number of valid bytes. */
  def isValid(finished: Path, actualBytes: Long, validBytes: Long): Boolean =
    actualBytes == validBytes || actualBytes > validBytes && of(finished).contains(validBytes)

  /** Returns the outcome for a part without an unfinished file, from the finished file. If there is no
    * finished file, the valid-length file is kept. Another process may have published the part, and a reader
    * may have opened the part and be about to read the length.
    *
    * Error: `STOPLOG_NAME_TAKEN` if another file has the name.
    */
  def outcome(finished: Path, sizeBytes: Long): CommitOutcome = files.status(finished) match {
    case None                                                                      => CommitOutcome.Lost
    case Some(there) if there.isFile && isValid(finished, there.getLen, sizeBytes) =>
      CommitOutcome.AlreadyCommitted
    case Some(there) =>
      throw Errors.nameTaken(
        finished.toString,
        s"the file has ${there.getLen} bytes, and the part has $sizeBytes"
      )
  }

  private def companion(finished: Path): Path = files.at(names.of(files.relative(finished)))
}

private[stoplog] object ValidLengths {

  /** Creates an instance with the user's names. */
  def of(files: HadoopFiles, sinkId: String, truncation: Truncation): ValidLengths =
    new ValidLengths(files, sinkId, ValidLengthNames.of(truncation))
}

/** The handling, at publication, of bytes after the recorded length, which were never committed (I2). */
private[stoplog] sealed trait Trimming extends Product with Serializable

private[stoplog] object Trimming {

  /** The bytes are truncated. */
  case object Truncate extends Trimming

  /** The committed bytes are copied. */
  case object Copy extends Trimming

  /** The bytes stay, and a file next to the part contains the number of valid bytes: see [[ValidLengths]]. */
  case object ValidLength extends Trimming

  def of(truncation: Truncation, growth: Growth): Trimming = (truncation, growth) match {
    case (Truncation.ValidLength(_, _), _) => ValidLength
    case (_, Growth.AppendAndTruncate)     => Truncate
    case _                                 => Copy
  }
}
