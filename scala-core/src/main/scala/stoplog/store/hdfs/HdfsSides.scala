// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hdfs

import java.io.OutputStream

import org.apache.hadoop.fs.Path

import stoplog.store.hadoop.{HadoopDurability, HadoopFiles, HadoopSides}

/** Side files on HDFS, made durable by closing them. */
final class HdfsSides(files: HadoopFiles, sinkId: String, durability: HadoopDurability)
    extends HadoopSides(files, sinkId, durability) {
  @transient private lazy val streams = new HdfsStreams(files, durability)

  protected override def write(path: Path, content: OutputStream => Unit): Unit = {
    val stream = streams.create(path)
    try content(stream.out)
    catch { case e: Throwable => stream.out.close(); throw e }
    stream.end()
  }
}
