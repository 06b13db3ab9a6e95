// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.sink.CommitOutcome

/** The evidence of a finished file about a part whose unfinished file has gone. */
private[storage] final class Finished(files: HadoopFiles, lengths: ValidLengths) {

  /** Error: `STOPLOG_NAME_TAKEN` when another file is there. */
  def outcome(target: Path, sizeBytes: Long): CommitOutcome = files.status(target) match {
    case None =>
      lengths.forget(target) // it may say something of a part that will never be there
      CommitOutcome.Lost
    case Some(there) if there.isFile && lengths.isValid(target, there.getLen, sizeBytes) =>
      CommitOutcome.AlreadyCommitted
    case Some(there) =>
      throw Errors.nameTaken(target.toString, s"it holds ${there.getLen} bytes, the part has $sizeBytes")
  }
}
