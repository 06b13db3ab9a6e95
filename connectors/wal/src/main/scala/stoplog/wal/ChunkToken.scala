// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import stoplog.part.SideFile

/** What the log says of a chunk, for another process to send it: `<query>|<epoch>|<partition>|<bytes>|<file>`, the epoch `-`
  * in a batch query.
  */
private[wal] final case class ChunkToken(query: String, epoch: Option[Long], partition: Int, file: SideFile) {
  def text: String = s"$query|${epoch.fold("-")(_.toString)}|$partition|${file.sizeBytes}|${file.token}"
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
      } yield ChunkToken(query, epoch.toLongOption, number, SideFile(file, size, level = 0))
    case _ => None
  }
}
