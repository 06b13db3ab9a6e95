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

  /** Says so durably, whole and once: by any number of processes, all of which say the same.
    *
    * @param finished the name that the part will have, or has
    */
  def note(finished: Path, validBytes: Long): Unit = if (!of(finished).contains(validBytes)) {
    val written = files.at(s"${SinkDirectory(sinkId).open}/.valid-length.${UUID.randomUUID()}")
    val out     = files.fileSystem.create(written, false)
    try {
      out.write(ValidLengthNames.encoded(validBytes))
      out.hsync() // readers cut at it, whatever the durability
    } finally out.close()
    files.renameInto(written, companion(finished)) match {
      case HadoopFiles.Renamed.Done => ()
      case _                        =>
        files.delete(written)
        if (!of(finished).contains(validBytes))
          throw new IOException(s"${companion(finished)} does not say $validBytes")
    }
  }

  /** The length that is noted for the file; `None` where all of it counts. */
  def of(finished: Path): Option[Long] = files.read(companion(finished)).flatMap(ValidLengthNames.decoded)

  /** Whether a finished file of this length holds this many bytes that count. */
  def isValid(finished: Path, actualBytes: Long, validBytes: Long): Boolean =
    actualBytes == validBytes || actualBytes > validBytes && of(finished).contains(validBytes)

  /** The evidence of a finished file about a part whose unfinished file has gone. The valid-length file stays if there is no
    * finished file: another process may have published it, and a reader may hold it and be about to read its length.
    *
    * Error: `STOPLOG_NAME_TAKEN` when another file is there.
    */
  def outcome(finished: Path, sizeBytes: Long): CommitOutcome = files.status(finished) match {
    case None                                                                      => CommitOutcome.Lost
    case Some(there) if there.isFile && isValid(finished, there.getLen, sizeBytes) =>
      CommitOutcome.AlreadyCommitted
    case Some(there) =>
      throw Errors.nameTaken(finished.toString, s"it holds ${there.getLen} bytes, the part has $sizeBytes")
  }

  private def companion(finished: Path): Path = files.at(names.of(files.relative(finished)))
}

private[stoplog] object ValidLengths {

  /** With the names that the user asked for. */
  def of(files: HadoopFiles, sinkId: String, asked: Truncation): ValidLengths =
    new ValidLengths(files, sinkId, ValidLengthNames.of(asked))
}

/** The treatment of bytes behind the recorded length when a part is published: they were never committed (I2). */
private[stoplog] sealed trait Trimming extends Product with Serializable

private[stoplog] object Trimming {

  /** They are cut off. */
  case object Truncate extends Trimming

  /** The others are copied. */
  case object Copy extends Trimming

  /** They stay, and a file beside the part says how many bytes count: see [[ValidLengths]]. */
  case object ValidLength extends Trimming

  def of(asked: Truncation, growth: Growth): Trimming = (asked, growth) match {
    case (Truncation.ValidLength(_, _), _) => ValidLength
    case (_, Growth.AppendAndTruncate)     => Truncate
    case _                                 => Copy
  }
}
