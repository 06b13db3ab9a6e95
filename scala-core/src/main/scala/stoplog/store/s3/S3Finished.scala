package stoplog.store.s3

import java.io.IOException

import stoplog.error.Errors
import stoplog.store.FinishedStore
import stoplog.store.hadoop.{HadoopFiles, HadoopFinished}

/** Finished parts on S3, where a rename is a copy by the server and then a deletion. */
final class S3Finished(files: HadoopFiles, sinkId: String) extends HadoopFinished(files, sinkId) {
  @transient private lazy val objects = new S3Objects(files)

  /** Object by object: there is no directory to be removed. */
  override def forget(seq: Long): Unit = {
    val directory = FinishedStore.directory(sinkId, seq)
    try objects.delete(objects.list(directory).map { case (path, _) => path })
    catch {
      case e: IOException => throw Errors.storeWrite(objects.describe(directory), HadoopFiles.reason(e), e)
    }
  }
}
