// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.net.URI

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.source.{RecordEmitter, RowOutput}
import stoplog.source.file.{Extent, FileSplit, Located}

/** The file, or piece of one, that is being read, as Spark's own file sources tell it.
  *
  * @param uri of the file, escaped
  */
private[read] final case class FileBlock(uri: String, from: Long, length: Long)

private[read] object FileBlock {

  def of(record: Located): FileBlock = {
    val uri  = record.location
    val full = new URI(uri.getScheme, Option(uri.getAuthority).getOrElse(""), uri.getPath, null, null)
    record.split.extent match {
      case Extent.Bytes(from, until) => FileBlock(full.toString, from, until - from)
      case _: Extent.Records         => FileBlock(full.toString, 0, record.split.file.bytes)
    }
  }

  /** Tells `input_file_name()` where the rows of an emitter are from. */
  def told[R <: Located](rows: RecordEmitter[R, InternalRow]): RecordEmitter[R, InternalRow] =
    new RecordEmitter[R, InternalRow] {
      private var of: FileSplit = _

      override def emit(record: R, out: RowOutput[InternalRow]): Unit = {
        if (record.split ne of) {
          of = record.split
          val block = FileBlock.of(record)
          InputFile.is(block.uri, block.from, block.length)
        }
        rows.emit(record, out)
      }
    }

  /** As `file_path` of the metadata has it. */
  def path(block: FileBlock): String = new HadoopPath(
    new HadoopPath(new URI(block.uri)).toString
  ).toUri.toString
}
