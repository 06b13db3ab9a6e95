// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

/** The notes of one piece of a file, in the order of what they are about. Few are held at a time.
  *
  * @param write a file of notes, by its name
  */
private[file] final class QuarantineNotes(prefix: String, write: (String, Seq[String]) => Unit) {
  private val held  = mutable.ArrayBuffer.empty[String]
  private var chars = 0L
  private var files = 0

  def add(note: QuarantineNote): Unit = note.leftOut match {
    case _: LeftOut.Rest   => write(s"$prefix-rest.json", Seq(note.json))
    case _: LeftOut.Record =>
      val json = note.json
      held += json
      chars += json.length
      if (chars >= QuarantineNotes.MostChars) flush()
  }

  /** The piece has been read. Before that nothing says that its last notes are all. */
  def flush(): Unit = if (held.nonEmpty) {
    write(f"$prefix-$files%06d-${held.size}.json", held.toSeq)
    files += 1
    held.clear()
    chars = 0
  }
}

private object QuarantineNotes {
  final val MostChars = 1024 * 1024
}
