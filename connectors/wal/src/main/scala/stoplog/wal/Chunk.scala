// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import stoplog.part.SideFile

/** The rows of one task of one epoch, durable in the log. Its name occurs once in the world, and is the same each time the
  * chunk is sent: with the number of a row it makes a key.
  *
  * @param query  whose epochs these are: the query, by the id that Spark keeps in its checkpoint, over restarts and wherever
  *               that is moved; of a batch query, its one run. Queries that keep notes at one place are told apart by it
  * @param epoch  the micro-batch; `None` in a batch query
  * @param micros the time of the epoch, where the sender has [[EpochTimes]]
  * @param startedAtMillis when Spark planned the micro-batch, in milliseconds since 1970: the same each time the chunk is
  *               sent. `None` in a batch query, and for what an older release has put into the log
  */
final case class Chunk(
    sinkId: String,
    query: String,
    name: String,
    epoch: Option[Long],
    partition: Int,
    rows: Long,
    micros: Option[Long] = None,
    startedAtMillis: Option[Long] = None
) {

  /** The epoch as a number, by which notes are forgotten: 0 in a batch query, which has only one. */
  def epochNumber: Long = epoch.getOrElse(0L)
}

/** What the log says of a chunk, for another process to send it: `<query>|<epoch>|<partition>|<bytes>|<file>`, the epoch `-`
  * in a batch query, and else the number and, where it is known, `@` and the milliseconds at which it was planned.
  */
private[wal] final case class ChunkToken(
    query: String,
    epoch: Option[Long],
    partition: Int,
    file: SideFile,
    startedAtMillis: Option[Long] = None
) {
  def text: String = {
    val at = startedAtMillis.fold("")("@" + _)
    s"$query|${epoch.fold("-")(_.toString + at)}|$partition|${file.sizeBytes}|${file.token}"
  }
}

private[wal] object ChunkToken {
  def parse(text: String): ChunkToken =
    find(text).getOrElse(throw new IllegalArgumentException(s"'$text' names no chunk"))

  /** `None` if the text is something else. */
  def find(text: String): Option[ChunkToken] = text.split("\\|", 5) match {
    case Array(query, epoch, partition, bytes, file) =>
      for {
        number <- partition.toIntOption
        size   <- bytes.toLongOption
        (of, at) = epoch.span(_ != '@')
      } yield ChunkToken(
        query,
        of.toLongOption,
        number,
        SideFile(file, size, level = 0),
        at.drop(1).toLongOption
      )
    case _ => None
  }
}
