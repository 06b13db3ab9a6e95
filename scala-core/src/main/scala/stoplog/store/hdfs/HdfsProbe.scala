package stoplog.store.hdfs

import java.io.IOException
import java.util.UUID

import stoplog.error.Errors
import stoplog.store.hadoop.HadoopFiles

/** Tries on an empty file what the sink will do with full ones, so that a start fails and not the first epoch. */
private[hdfs] object HdfsProbe {

  def probe(files: HadoopFiles, sinkId: String): Unit = {
    val path = files.at(s"_stoplog/$sinkId/open/.probe.${UUID.randomUUID()}")
    try {
      val system = files.fileSystem
      system.create(path, false).close()
      try system.append(path).close()
      finally files.delete(path)
    } catch {
      case e: IOException                   => refuse(files, HadoopFiles.reason(e))
      case e: UnsupportedOperationException =>
        refuse(files, s"its file system cannot append (${e.getMessage})")
    }
  }

  private def refuse(files: HadoopFiles, why: String): Nothing = throw Errors.pathNotWritable(files.root, why)
}
