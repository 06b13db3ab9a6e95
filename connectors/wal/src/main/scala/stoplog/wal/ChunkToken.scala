// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.net.{URLDecoder, URLEncoder}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import stoplog.part.SpoolFile

/** The reference to a chunk in the log, for another process to send it: `<query>|<epoch>|<partition>|<bytes>|<file>`, the
  * epoch `-` in a batch query, and else the number and, where it is known, `@` and the milliseconds at which it was planned. Behind
  * that, where it is known, are `#` and the place of the notes, encoded as in a URL.
  *
  * @param notesAt [[CheckpointCommitters.notesAt]] of the run that wrote the chunk; `None` for one that an older release has
  *                put into the log
  */
private[wal] final case class ChunkToken(
    query: String,
    epoch: Option[Long],
    partition: Int,
    file: SpoolFile,
    startedAtMillis: Option[Long] = None,
    notesAt: Option[String] = None
) {
  def text: String = {
    val at    = startedAtMillis.fold("")("@" + _)
    val notes = notesAt.fold("")("#" + URLEncoder.encode(_, UTF_8))
    s"$query|${epoch.fold("-")(_.toString + at)}$notes|$partition|${file.sizeBytes}|${file.token}"
  }
}

private[wal] object ChunkToken {
  def parse(text: String): ChunkToken =
    find(text).getOrElse(throw new IllegalArgumentException(s"'$text' names no chunk"))

  /** `None` if the text is something else. */
  def find(text: String): Option[ChunkToken] = text.split("\\|", 5) match {
    case Array(query, epoch, partition, bytes, file) =>
      val (planned, notes) = epoch.span(_ != '#')
      val (of, at)         = planned.span(_ != '@')
      for {
        number <- partition.toIntOption
        size   <- bytes.toLongOption
        place  <- Try(Option(notes.drop(1)).filter(_.nonEmpty).map(URLDecoder.decode(_, UTF_8))).toOption
      } yield ChunkToken(
        query,
        of.toLongOption,
        number,
        SpoolFile(file, size, level = 0),
        at.drop(1).toLongOption,
        place
      )
    case _ => None
  }
}
