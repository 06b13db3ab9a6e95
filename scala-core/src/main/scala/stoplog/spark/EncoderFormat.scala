package stoplog.spark

import java.io.OutputStream

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.DataColumns
import stoplog.commit.{Member, RowFormat}
import stoplog.format.Encoder
import stoplog.format.compress.Compression

/** An encoder and a compression as the commit protocol sees them. For one task. */
private[spark] final class EncoderFormat(encoder: Encoder, compression: Compression, columns: DataColumns)
    extends RowFormat[InternalRow] {
  private[this] val project = columns.newProjection()

  encoder.open(columns.schema)

  override def start(out: OutputStream): Unit = encoder.begin(out)

  override def encode(row: InternalRow, out: OutputStream): Unit = encoder.encode(project(row), out)

  override def openMember(out: OutputStream): Option[Member] = compression match {
    case Compression.None => None
    case other            =>
      val member = other.openMember(out)
      Some(new Member {
        override def stream: OutputStream = member
        override def finish(): Unit       = member.finish()
        override def close(): Unit        = member.close()
      })
  }
}
