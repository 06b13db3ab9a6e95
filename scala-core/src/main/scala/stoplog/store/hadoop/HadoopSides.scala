// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import java.io.{InputStream, OutputStream}

import org.apache.hadoop.fs.{FSDataOutputStream, Path}

import stoplog.error.Errors
import stoplog.part.SideFile
import stoplog.sink.Staged
import stoplog.store.{NewPart, SideStore}

/** Side files on a Hadoop file system. */
class HadoopSides(files: HadoopFiles, sinkId: String, durability: HadoopDurability)
    extends SideStore
    with Serializable {

  override def write(part: NewPart)(content: OutputStream => Unit): String = {
    val token = SideStore.token(sinkId, part)
    val path  = files.at(token)
    files.writing(path)(write(path, content))
    token
  }

  override def read(file: SideFile): InputStream = {
    val path = files.at(file.token)
    files.writing(path) {
      files.status(path) match {
        case Some(status) if status.getLen >= file.sizeBytes => files.fileSystem.open(path)
        case short => throw Errors.partShort(path.toString, short.fold(0L)(_.getLen), file.sizeBytes)
      }
    }
  }

  override def staged(): Vector[Staged] = files.writing(files.at(directory)) {
    files.list(files.at(directory)).map { file =>
      Staged(files.relative(file.getPath), file.getModificationTime)
    }
  }

  override def discard(tokens: Seq[String]): Unit = tokens.foreach { token =>
    val path = files.at(token)
    files.writing(path)(files.delete(path))
  }

  /** Durable when it returns. */
  protected def write(path: Path, content: OutputStream => Unit): Unit = {
    val out: FSDataOutputStream = files.create(path)
    try {
      content(out)
      durability.flush(out)
    } finally out.close()
  }

  private def directory: String = SideStore.directory(sinkId)
}
