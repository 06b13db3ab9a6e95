// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import stoplog.part.BlockOutput

/** A format for tests: each block is its rows a line each behind `[`, and the end tells how many rows each has, so that
  * a reader finds out whether every block is there, where it should be, and once.
  *
  * @param blockBytes of text
  */
class LinesInBlocks(override val blockBytes: Long) extends BlockFormat {
  override def suffix: String                 = ".blocks"
  override def describe: String               = blockBytes.toString
  override def open(schema: StructType): Unit = require(schema.map(_.dataType) == Seq(StringType))

  override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = new BlockWriter {
    private val text = new StringBuilder
    private var rows = 0

    override def write(row: InternalRow): Unit = {
      text ++= row.getString(0) ++= "\n"
      rows += 1
    }
    override def bufferedBytes: Long   = text.length.toLong
    override def close(): Unit         = ()
    override def finish(): Array[Byte] = {
      val start = out.position
      out.write(s"[$text".getBytes)
      directory ++ s"$start:$rows ".getBytes
    }
  }

  override def end(out: BlockOutput, directory: Array[Byte]): Unit =
    out.write(("]" + new String(directory)).getBytes)
}

object LinesInBlocks {

  /** The rows of each block of a finished file. Fails on any other file. */
  def read(file: String): Vector[Vector[String]] = {
    val (body, end) = file.splitAt(file.lastIndexOf(']'))
    val blocks      = end.drop(1).split(' ').filter(_.nonEmpty).toVector.map(_.split(':').map(_.toInt))
    val starts      = blocks.map(_(0))
    require(starts == body.indices.filter(body(_) == '[').toVector, "a block is elsewhere")
    blocks.zip(starts.drop(1) :+ body.length).map { case (block, next) =>
      val rows = body.substring(block(0) + 1, next).linesIterator.toVector
      require(rows.size == block(1), "rows are missing")
      rows
    }
  }
}
