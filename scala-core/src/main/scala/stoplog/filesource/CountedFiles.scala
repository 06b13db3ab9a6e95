// SPDX-License-Identifier: Apache-2.0
package stoplog.filesource

import java.io.{FilterInputStream, InputStream}

import scala.annotation.nowarn

import org.apache.hadoop.fs.{FileSystem, LocalFileSystem}

import stoplog.storage.{ForwardingSourceFiles, SourceFile, SourceFiles}

/** Local files whose bytes count in Hadoop's statistics of the thread, as for files that Hadoop reads. Spark
  * reports these statistics as the input bytes of a task.
  */
private[filesource] final class CountedFiles(files: SourceFiles) extends ForwardingSourceFiles(files) {
  override def open(file: SourceFile, from: Long): InputStream =
    new CountedFiles.Counted(files.open(file, from))
}

private object CountedFiles {

  /** Hadoop offers no other access to the statistics that Spark reads. */
  @nowarn("cat=deprecation")
  private def statistics: FileSystem.Statistics =
    FileSystem.getStatistics("file", classOf[LocalFileSystem])

  private final class Counted(in: InputStream) extends FilterInputStream(in) {
    private val total = statistics

    override def read(): Int = {
      val byte = in.read()
      if (byte >= 0) total.incrementBytesRead(1)
      byte
    }

    override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
      val count = in.read(bytes, offset, length)
      if (count > 0) total.incrementBytesRead(count.toLong)
      count
    }
  }
}
