// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import stoplog.part.SpoolFile

/** What the log says of a chunk, for another process to send it: `<query>|<epoch>|<partition>|<bytes>|<file>`, the epoch `-`
  * in a batch query, and else the number and, where it is known, `@` and the milliseconds at which it was planned.
  */
private[wal] final case class ChunkToken(
    query: String,
    epoch: Option[Long],
    partition: Int,
    file: SpoolFile,
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
        SpoolFile(file, size, level = 0),
        at.drop(1).toLongOption
      )
    case _ => None
  }
}
