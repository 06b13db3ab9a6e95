package stoplog.store.hadoop

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.store.PublishOutcome

/** What a finished file says of a part whose unfinished one has gone. */
private[store] final class Finished(files: HadoopFiles, lengths: ValidLengths) {

  /** Error: `STOPLOG_NAME_TAKEN` when another file is there. */
  def outcome(target: Path, sizeBytes: Long): PublishOutcome = files.status(target) match {
    case None =>
      lengths.forget(target) // it may say something of a part that will never be there
      PublishOutcome.Lost
    case Some(there) if there.isFile && lengths.isValid(target, there.getLen, sizeBytes) =>
      PublishOutcome.AlreadyPublished
    case Some(there) =>
      throw Errors.nameTaken(target.toString, s"it holds ${there.getLen} bytes, the part has $sizeBytes")
  }
}
