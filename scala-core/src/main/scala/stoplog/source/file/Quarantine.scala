// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.control.NonFatal

import stoplog.source.StateFiles
import stoplog.storage.SourceFiles

/** The place for notes of what could not be decoded.
  *
  * A file of notes is named by the file that it is about, by the piece, and by its number in the piece, and is created
  * whole: whoever reads the piece again, in a second attempt or after a crash, finds it there, and adds nothing.
  */
private[file] final class Quarantine(place: StateFiles) extends Serializable {

  /** The notes of one piece. */
  def notes(fileName: String, split: FileSplit): QuarantineNotes =
    new QuarantineNotes(Quarantine.prefix(fileName, split), write)

  /** What is there, of all queries that have this place. */
  def counts: QuarantineCounts = {
    val names = place.list()
    QuarantineCounts(
      files = names.collect { case Quarantine.Rest(file) => file }.distinct.size.toLong,
      records = names.collect { case Quarantine.Records(count) => count.toLong }.sum
    )
  }

  private def write(name: String, notes: Seq[String]): Unit = {
    place.putIfAbsent(name)(_.write(notes.mkString("", "\n", "\n").getBytes(UTF_8)))
    ()
  }
}

/** @param files   that could not be read to their ends
  * @param records that were left out of files that could
  */
private[file] final case class QuarantineCounts(files: Long, records: Long)

private[file] object Quarantine {

  private val Rest    = """([0-9a-f]{24})-\d{20}-rest\.json""".r
  private val Records = """[0-9a-f]{24}-\d{20}-\d{6}-(\d+)\.json""".r

  /** A file that others have written anew is another. */
  private def prefix(fileName: String, split: FileSplit): String = {
    val hash = PathHash.of(s"$fileName\u0000${split.file.bytes}\u0000${split.file.modifiedMillis}")
    f"${hash.high}%016x${hash.low}%08x-${split.extent.from}%020d"
  }

  /** Reads the piece's bytes as they are. What they mean is the file's fault; that they cannot be had is the storage's.
    */
  def isStored(files: SourceFiles, split: FileSplit): Boolean = {
    val (from, until) = split.extent match {
      case Extent.Bytes(from, until) => (from, until)
      case _: Extent.Records         => (0L, split.file.bytes)
    }
    try {
      val in = files.open(split.file, from)
      try {
        val buffer = new Array[Byte](BufferBytes)
        var left   = until - from
        while (left > 0) {
          val read = in.read(buffer, 0, left.min(BufferBytes.toLong).toInt)
          left = if (read < 0) 0 else left - read
        }
        true
      } finally in.close()
    } catch { case NonFatal(_) => false }
  }

  private final val BufferBytes = 64 * 1024
}
