// SPDX-License-Identifier: Apache-2.0
package stoplog.store.s3

import stoplog.store.hadoop.HadoopFiles

/** Finished objects that a batch job replaces: deleted where others would be set aside. On S3 a move is a copy of every
  * byte, and the record that says what is replaced has been written before.
  */
private[s3] final class S3Deleting(files: HadoopFiles, job: String) extends S3Finished(files, job) {
  override def together: Int = 1000

  override def setAside(seq: Long, path: String): Unit = setAside(seq, Seq(path))

  override def setAside(seq: Long, paths: Seq[String]): Unit =
    files.writing(files.at(paths.headOption.getOrElse("")))(objects.delete(paths))
}
