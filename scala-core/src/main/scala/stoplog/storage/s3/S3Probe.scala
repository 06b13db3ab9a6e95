// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.IOException
import java.util.UUID

import stoplog.error.Errors
import stoplog.log.LogFiles
import stoplog.storage.hadoop.HadoopFiles

/** Tries what the sink will do with full parts, so that a start fails and not the first epoch. */
object S3Probe {

  /** Error: `STOPLOG_PATH_NOT_WRITABLE`. */
  def probe(files: HadoopFiles, sinkId: String): Unit = {
    val objects = new S3Objects(files)
    val uploads = new S3Uploads(objects)
    val path    = s"_stoplog/$sinkId/open/.probe.${UUID.randomUUID()}"
    try {
      objects.put(path, Content)
      try {
        if (isNew(files, sinkId) && objects.putIfAbsent(path, Content))
          refuse(
            files,
            "its server does not know conditional writes (If-None-Match), which the commit log needs"
          )
        uploads.abort(s"$path.2", uploads.start(s"$path.2"))
      } finally objects.delete(Seq(path))
    } catch { case e: IOException => refuse(files, HadoopFiles.reason(e)) }
  }

  /** A sink that has a log has passed before. A write that is refused fills S3A's log, so not at every start. */
  private def isNew(files: HadoopFiles, sinkId: String): Boolean =
    new LogFiles(new S3FileStore(files), sinkId).list().isEmpty

  private def refuse(files: HadoopFiles, why: String): Nothing = throw Errors.pathNotWritable(files.root, why)

  private val Content = Array[Byte]('?')
}
