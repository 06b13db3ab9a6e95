// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.net.{URLDecoder, URLEncoder}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import stoplog.part.SpoolFile

/** The reference to a chunk in the log, for another process to send it: `<query>|<epoch>|<partition>|<bytes>|<file>`, the
  * epoch `-` in a batch query, and else the number and, where it is known, `@` and the milliseconds at which it was planned. After
  * that come the fields of the decision, each after a `#` and encoded as in a URL.
  *
  * @param decision `None` for a chunk that an older release has put into the log
  */
private[wal] final case class ChunkToken(
    query: String,
    epoch: Option[Long],
    partition: Int,
    file: SpoolFile,
    startedAtMillis: Option[Long] = None,
    decision: Option[ChunkDecision] = None
) {
  def text: String = {
    val at = startedAtMillis.fold("")("@" + _)
    s"$query|${epoch.fold("-")(_.toString + at)}${decision.fold("")(_.text)}|$partition|${file.sizeBytes}|${file.token}"
  }
}

/** The part of a decision that is the same for all chunks of an epoch: no other run may change it.
  *
  * @param run    that has written the chunk, and the record on it
  * @param places of that run
  */
private[wal] final case class ChunkDecision(run: String, places: ChunkPlaces) {
  def text: String = Seq(run, places.notes, places.rows).map("#" + URLEncoder.encode(_, UTF_8)).mkString
}

private[wal] object ChunkDecision {

  /** `None` if the text is something else. */
  def find(text: String): Option[ChunkDecision] =
    Try(text.split("#", -1).toVector.map(URLDecoder.decode(_, UTF_8))).toOption.collect {
      case Vector("", run, notes, rows) => ChunkDecision(run, ChunkPlaces(notes, rows))
    }
}

/** Where a run keeps its notes and sends its rows, without secrets.
  *
  * @param notes [[CheckpointCommitters.notesAt]]
  * @param rows  [[RowSender.rowsTo]]
  */
private[wal] final case class ChunkPlaces(notes: String, rows: String)

private[wal] object ChunkToken {
  def parse(text: String): ChunkToken =
    find(text).getOrElse(throw new IllegalArgumentException(s"'$text' names no chunk"))

  /** `None` if the text is something else. */
  def find(text: String): Option[ChunkToken] = text.split("\\|", 5) match {
    case Array(query, epoch, partition, bytes, file) =>
      val (planned, decision) = epoch.span(_ != '#')
      val (of, at)            = planned.span(_ != '@')
      for {
        number <- partition.toIntOption
        size   <- bytes.toLongOption
      } yield ChunkToken(
        query,
        of.toLongOption,
        number,
        SpoolFile(file, size, level = 0),
        at.drop(1).toLongOption,
        ChunkDecision.find(decision)
      )
    case _ => None
  }
}
