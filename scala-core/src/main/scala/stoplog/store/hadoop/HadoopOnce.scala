// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import java.io.IOException
import java.util.UUID

import org.apache.hadoop.fs.Path

import stoplog.log.PutOutcome

/** Small files, each made by a step that the file system gets done for one caller alone (I6).
  *
  * @param workshop  a directory where a crash leaves an orphan to be swept
  * @param exclusion that step; not asked for before a file is written
  */
private[hadoop] final class HadoopOnce(
    files: HadoopFiles,
    workshop: String,
    durability: HadoopDurability,
    exclusion: => Exclusion
) {

  /** @param written called when the bytes are written, and nobody can see them yet */
  def create(target: Path, kind: String, bytes: Array[Byte])(written: => Unit): PutOutcome =
    files.writing(target) {
      exclusion match {
        case Exclusion.ByRename => renamed(target, kind, bytes)(written)
        case Exclusion.ByCreate =>
          if (files.status(target).isDefined) PutOutcome.Taken else created(target, bytes)(written)
      }
    }

  /** Written elsewhere first, so that nobody sees half of it. */
  private def renamed(target: Path, kind: String, bytes: Array[Byte])(written: => Unit): PutOutcome = {
    val draft = files.at(s"$workshop/.$kind.${UUID.randomUUID()}")
    write(draft, bytes)
    written
    files.renameInto(draft, target) match {
      case Renamed.Done        => PutOutcome.Created
      case Renamed.TargetThere =>
        files.delete(draft)
        PutOutcome.Taken
      case Renamed.SourceGone | Renamed.NoDirectory =>
        throw new java.io.FileNotFoundException(s"$draft was removed before it became $target")
    }
  }

  /** A client that asks again when an answer is lost is refused for the sake of its own first try: so it is not the
    * refusal that tells whose file it is, but its bytes.
    */
  private def created(target: Path, bytes: Array[Byte])(written: => Unit): PutOutcome =
    try {
      val out = files.createAlone(target)
      out.write(bytes)
      written
      out.close()
      PutOutcome.Created
    } catch {
      case e: IOException =>
        files.read(target) match {
          case Some(found) if found.sameElements(bytes) => PutOutcome.Created
          case Some(_)                                  => PutOutcome.Taken
          case None                                     => throw e
        }
    }

  private def write(path: Path, bytes: Array[Byte]): Unit = {
    val out = files.create(path)
    try {
      out.write(bytes)
      durability.flush(out)
    } finally out.close()
  }
}
