// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hdfs

import org.apache.hadoop.fs.FileStatus

import stoplog.store.hadoop.{HadoopFiles, HadoopJobStore}

/** A batch job's own directory on HDFS, whose server can say which files are being written. */
final class HdfsJobStore(files: HadoopFiles, job: String) extends HadoopJobStore(files, job) {
  private val leases = new HdfsLeases(files)

  override protected def mayBeOpen(there: Vector[FileStatus]): Boolean =
    there.exists(file => !leases.isClosed(file.getPath))
}
