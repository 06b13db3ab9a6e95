// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import org.apache.hadoop.fs.{FSDataOutputStream, FSDataOutputStreamBuilder, Path}
import org.apache.hadoop.hdfs.DistributedFileSystem.HdfsDataOutputStreamBuilder

import stoplog.storage.Durability
import stoplog.storage.hadoop.HadoopFiles

/** Opens files so that closing a file makes all its bytes durable.
  *
  * A flush before the close is not sufficient: HDFS flushes only the last block, and notifies the NameNode
  * each time. The close waits for the responses of all servers in any case. If the block is to be synced, the
  * servers respond after the block is on their disks.
  */
private[hdfs] final class HdfsStreams(files: HadoopFiles) {
  import HdfsStreams.HdfsStream

  /** Error: `IOException` if the file exists. */
  def create(path: Path): HdfsStream = opened(files.creating(path))

  /** Errors: `FileNotFoundException`, `IOException` if another client has the lease. */
  def append(path: Path): HdfsStream = opened(files.fileSystem.appendFile(path))

  private def opened(builder: FSDataOutputStreamBuilder[_, _]): HdfsStream = builder match {
    case hdfs: HdfsDataOutputStreamBuilder =>
      files.durability match {
        case Durability.Disk    => hdfs.syncBlock()
        case Durability.Process => ()
      }
      new HdfsStream(hdfs.build(), _ => ())
    case other => new HdfsStream(other.build().asInstanceOf[FSDataOutputStream], files.flush)
  }
}

private[hdfs] object HdfsStreams {

  /** A file that is being written.
    *
    * @param seal makes the bytes durable before the file is closed
    */
  final class HdfsStream(val out: FSDataOutputStream, seal: FSDataOutputStream => Unit) {

    /** Makes all bytes durable and closes the file. */
    def end(): Unit =
      try seal(out)
      finally out.close()
  }
}
