// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.net.{URLDecoder, URLEncoder}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import stoplog.part.SpoolFile

/** The reference to a chunk in the log, from which another process can send the chunk:
  * `<query>|<epoch><decision>|<partition>|<bytes>|<file>`. The epoch is `-` in a batch query. In a streaming
  * query, the epoch is its number and, if known, `@` and the planning time in milliseconds. The decision
  * consists of its fields, each after a `#` and URL-encoded.
  */
private[wal] final case class ChunkToken(
    query: String,
    epoch: Option[Long],
    partition: Int,
    file: SpoolFile,
    decision: ChunkDecision,
    startedAtMillis: Option[Long] = None
) {
  def text: String = {
    val at = startedAtMillis.fold("")("@" + _)
    s"$query|${epoch.fold("-")(_.toString + at)}${decision.text}|$partition|${file.sizeBytes}|${file.token}"
  }
}

/** The part of a decision shared by all chunks of an epoch. No other run may change it.
  *
  * @param run    the run that wrote the chunk and its record
  * @param places the places of the run
  */
private[wal] final case class ChunkDecision(run: String, places: ChunkPlaces) {
  def text: String = Seq(run, places.notes, places.rows).map("#" + URLEncoder.encode(_, UTF_8)).mkString
}

private[wal] object ChunkDecision {

  /** Returns `None` if the text is not a decision. */
  def find(text: String): Option[ChunkDecision] =
    Try(text.split("#", -1).toVector.map(URLDecoder.decode(_, UTF_8))).toOption.collect {
      case Vector("", run, notes, rows) => ChunkDecision(run, ChunkPlaces(notes, rows))
    }
}

/** The places of a run's notes and rows, without secrets.
  *
  * @param notes the result of [[CheckpointCommitters.notesAt]]
  * @param rows  the result of [[RowSender.rowsTo]]
  */
private[wal] final case class ChunkPlaces(notes: String, rows: String)

private[wal] object ChunkToken {
  def parse(text: String): ChunkToken =
    find(text).getOrElse(throw new IllegalArgumentException(s"'$text' does not name a chunk"))

  /** Returns `None` if the text is not a token. */
  def find(text: String): Option[ChunkToken] = text.split("\\|", 5) match {
    case Array(query, epoch, partition, bytes, file) =>
      val (planned, decided) = epoch.span(_ != '#')
      val (of, at)           = planned.span(_ != '@')
      for {
        number   <- partition.toIntOption
        size     <- bytes.toLongOption
        decision <- ChunkDecision.find(decided)
      } yield ChunkToken(
        query,
        of.toLongOption,
        number,
        SpoolFile(file, size, level = 0),
        decision,
        at.drop(1).toLongOption
      )
    case _ => None
  }
}
