// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.{FileNotFoundException, IOException}

import org.apache.hadoop.fs.{FSDataOutputStream, Path}

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.part.{Closed, Publish, Resume}
import stoplog.sink.{CommitOutcome, Staged}
import stoplog.storage._

/** Stores parts as files of any Hadoop file system, depending on its capabilities.
  *
  * This store cannot stop a writer that survives the end of its run. So only the run that started a part
  * resumes the part in place, and only if all its attempts have ended successfully (I1). Every other run
  * copies the committed bytes to a new name. Empty staging directories remain: not every file system can
  * delete a directory only if it is empty.
  *
  * @param trimming the handling of bytes after the recorded length when a part is published
  */
private[stoplog] final class HadoopPartStore(
    files: HadoopFiles,
    sinkId: String,
    layout: PartLayout,
    growth: Growth,
    trimming: Trimming,
    lengths: ValidLengths,
    faults: Faults
) extends PartStore
    with Serializable {

  override def create(part: NewPart): PartOutput = output(layout.inProgress(part, PartLayout.unique()))

  /** Does not change a longer file: a failed attempt of this run wrote to the file, and may still run. */
  override def resume(open: Resume, validBytes: Long): PartOutput = {
    val path = files.at(open.token)
    orShort(open, validBytes) {
      if (growth != Growth.CreateOnly && files.status(path).exists(_.getLen == validBytes))
        new HadoopPartStore.Output(files, path, open.token, files.fileSystem.append(path), validBytes)
      else copied(open, validBytes, layout.another(open.token, PartLayout.unique()))
    }
  }

  override def takeOver(open: Resume, validBytes: Long, part: NewPart): PartOutput =
    orShort(open, validBytes)(copied(open, validBytes, layout.inProgress(part, PartLayout.unique())))

  override def publish(part: Publish, sizeBytes: Long, finishedPath: String): CommitOutcome = {
    val (staged, target) = (files.at(part.token), files.at(finishedPath))
    files.writing(target) {
      try
        files.status(staged).map(_.getLen) match {
          case None                               => lengths.outcome(target, sizeBytes)
          case Some(actual) if actual < sizeBytes =>
            throw Errors.partShort(staged.toString, actual, sizeBytes)
          case Some(actual) if actual > sizeBytes => trimmed(part, sizeBytes, target)
          case Some(_)                            => renamed(staged, staged, target, sizeBytes)
        }
      catch {
        // another publisher has already completed one of the steps
        case _: FileNotFoundException if files.status(staged).isEmpty => lengths.outcome(target, sizeBytes)
      }
    }
  }

  override def staged(): Vector[Staged] = HadoopPartStore.staged(files, sinkId, layout)(identity)

  override def isStaged(token: String): Boolean =
    files.writing(files.at(token))(files.status(files.at(token)).isDefined)

  /** Checks each file if the check is not a request to another host. */
  override def refuseLost(tokens: Seq[String]): Unit =
    if (files.areLocal)
      tokens
        .find(!isStaged(_))
        .foreach(token => throw HostPaths.unseenByDriver(files.root, token, Machine.here))

  override def discard(token: String): Unit = files.writing(files.at(token))(files.delete(files.at(token)))

  private def trimmed(part: Publish, sizeBytes: Long, target: Path): CommitOutcome = {
    val staged = files.at(part.token)
    trimming match {
      case Trimming.Truncate =>
        if (!files.fileSystem.truncate(staged, sizeBytes))
          throw new IOException(s"$staged was not cut to $sizeBytes bytes at once")
        renamed(staged, staged, target, sizeBytes)
      case Trimming.Copy =>
        val copy = layout.another(part.token, PartLayout.unique())
        try {
          copied(part, sizeBytes, copy).finish()
          renamed(files.at(copy), staged, target, sizeBytes)
        } finally files.delete(files.at(copy)) // no record names it
      case Trimming.ValidLength =>
        // before the rename, or readers would see the uncommitted bytes; skipped if another file has the name
        if (files.status(target).isEmpty) lengths.note(target, sizeBytes)
        renamed(staged, staged, target, sizeBytes)
    }
  }

  /** Renames a file. Assumes only that a completed rename leaves all bytes under the new name.
    *
    * @param ready the staged file, or a copy of its committed bytes
    */
  private def renamed(ready: Path, staged: Path, target: Path, sizeBytes: Long): CommitOutcome = {
    faults.at(Step.MidPublish)
    files.renameInto(ready, target) match {
      case HadoopFiles.Renamed.Done =>
        if (ready != staged) files.delete(staged)
        CommitOutcome.Committed
      case HadoopFiles.Renamed.SourceGone  => lengths.outcome(target, sizeBytes)
      case HadoopFiles.Renamed.NoDirectory => throw new IOException(s"$ready could not be renamed to $target")
      case HadoopFiles.Renamed.TargetThere => taken(ready, staged, target, sizeBytes)
    }
  }

  /** If both names have the same bytes, another publisher was active, or a copying rename was interrupted. */
  private def taken(ready: Path, staged: Path, target: Path, sizeBytes: Long): CommitOutcome =
    if (HadoopFiles.same(files, ready, target)) {
      files.delete(staged)
      CommitOutcome.AlreadyCommitted
    } else if (files.status(staged).isEmpty) lengths.outcome(target, sizeBytes)
    else throw Errors.nameTaken(target.toString, "the file of this name is not this part")

  private def output(token: String): PartOutput = {
    val path = files.at(token)
    val out  = files.writing(path)(files.fileSystem.create(path, false))
    new HadoopPartStore.Output(files, path, token, out, startBytes = 0)
  }

  private def copied(open: Publish, validBytes: Long, token: String): PartOutput = {
    val copy = output(token)
    try HadoopFiles.copy(files, files.at(open.token), validBytes, copy)
    catch { case e: Throwable => copy.close(); throw e }
    copy
  }

  private def orShort[A](open: Publish, validBytes: Long)(action: => A): A =
    files.writing(files.at(open.token)) {
      try action
      catch { case _: FileNotFoundException => throw Errors.partShort(open.token, 0, validBytes) }
    }
}

private[storage] object HadoopPartStore {

  /** Returns all unfinished files of one sink id on a file system.
    *
    * @param inStaging returns the token of a file from its path in the staging directory, which also contains
    *                  drafts of records
    */
  def staged(files: HadoopFiles, sinkId: String, layout: PartLayout)(
      inStaging: String => String
  ): Vector[Staged] =
    files.writing(files.at(layout.root)) {
      val nested  = new NestedSinks
      val staging = PartLayout.Staging(sinkId).root
      val found   = Set(layout.root, staging).toVector.flatMap { place =>
        files.filesUnder(files.at(place))(entered => place.nonEmpty || nested.enters(files.relative(entered)))
      }
      for {
        file <- found
        path = files.relative(file.getPath) if !nested.own(path)
        token <- if (path.startsWith(staging + "/")) Some(inStaging(path)) else layout.tokenOf(path)
      } yield Staged(token, file.getModificationTime)
    }

  /** Output to a file that other processes can also write. Therefore the close checks the length. */
  private final class Output(
      files: HadoopFiles,
      path: Path,
      token: String,
      out: FSDataOutputStream,
      startBytes: Long
  ) extends PartOutput {
    private[this] var written = startBytes // a stream that appends may count from 0
    private[this] var closed  = false

    override def position: Long = written

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      files.writing(path) {
        if (closed) throw new IOException("it is closed")
        out.write(bytes, offset, length)
      }
      written += length
    }

    override def persist(inRecordBytes: Int): Resume = {
      end()
      Resume(token)
    }

    override def finish(): Closed = {
      end()
      Closed(token)
    }

    override def close(): Unit = {
      closed = true
      try out.close()
      catch { case _: IOException => () } // no bytes were promised
    }

    private def end(): Unit = files.writing(path) {
      closed = true
      try flush()
      finally out.close()
      val actual = files.fileSystem.getFileStatus(path).getLen
      if (actual < written) throw Errors.partShort(path.toString, actual, written)
      if (actual > written)
        throw new IOException(s"another process wrote to it: it has $actual bytes, not $written")
    }

    private def flush(): Unit =
      try files.flush(out)
      catch {
        case _: UnsupportedOperationException => ()
      } // the bytes are durable after the close
  }
}
