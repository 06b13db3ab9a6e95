package stoplog.wal

import stoplog.part.SideFile

/** What the log says of a chunk, for another process to send it: `<epoch>|<partition>|<bytes>|<file>`, the epoch `-` in a
  * batch query.
  */
private[wal] final case class ChunkToken(epoch: Option[Long], partition: Int, file: SideFile) {
  def text: String = s"${epoch.fold("-")(_.toString)}|$partition|${file.sizeBytes}|${file.token}"
}

private[wal] object ChunkToken {
  def parse(text: String): ChunkToken = text.split("\\|", 4) match {
    case Array(epoch, partition, bytes, file) =>
      ChunkToken(epoch.toLongOption, partition.toInt, SideFile(file, bytes.toLong, level = 0))
    case _ => throw new IllegalArgumentException(s"'$text' names no chunk")
  }
}
