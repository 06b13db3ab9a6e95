// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.OutputStream

import org.apache.hadoop.fs.Path

import stoplog.storage.SinkDirectory
import stoplog.storage.hadoop.{HadoopFileStore, HadoopFiles}

/** Files on HDFS: made durable by closing them, and the server says which are being written. */
final class HdfsFileStore(files: HadoopFiles, drafts: Option[String]) extends HadoopFileStore(files, drafts) {
  @transient private lazy val streams = new HdfsStreams(files)
  @transient private lazy val leases  = new HdfsLeases(files)

  override def isClosed(path: String): Option[Boolean] = io(path)(Some(leases.isClosed(files.at(path))))

  protected override def write(path: Path)(content: OutputStream => Unit): Unit = {
    val stream = streams.create(path)
    try content(stream.out)
    catch { case e: Throwable => stream.out.close(); throw e }
    stream.end()
  }
}

object HdfsFileStore {

  /** The files under a sink's path. */
  def ofSink(files: HadoopFiles, sinkId: String): HdfsFileStore =
    new HdfsFileStore(files, Some(SinkDirectory(sinkId).open))
}
