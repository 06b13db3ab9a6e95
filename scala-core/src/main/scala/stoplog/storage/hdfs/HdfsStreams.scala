// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import org.apache.hadoop.fs.{FSDataOutputStream, FSDataOutputStreamBuilder, Path}
import org.apache.hadoop.hdfs.DistributedFileSystem.HdfsDataOutputStreamBuilder

import stoplog.storage.Durability
import stoplog.storage.hadoop.HadoopFiles

/** Opens files so that closing them makes all their bytes durable.
  *
  * A flush before would not do: HDFS flushes the last block alone, and tells the NameNode each time. Closing waits for
  * the answers of all servers in any case, and with a block that is to be synced they answer once it is on their disks.
  */
private[hdfs] final class HdfsStreams(files: HadoopFiles) {
  import HdfsStreams.HdfsStream

  /** Error: `IOException` when the file is there. */
  def create(path: Path): HdfsStream = opened(files.creating(path))

  /** Errors: `FileNotFoundException`, `IOException` when another client has the lease. */
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

    /** Makes everything durable and closes. */
    def end(): Unit =
      try seal(out)
      finally out.close()
  }
}
