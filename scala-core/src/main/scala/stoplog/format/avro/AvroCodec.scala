// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import org.apache.avro.file.CodecFactory
import org.apache.avro.mapred.AvroOutputFormat
import org.apache.hadoop.conf.Configuration

/** The codec of a file's blocks.
  *
  * @param name       as Avro writes it into the header
  * @param level      of deflate, xz and zstandard; the others have none
  * @param bufferPool whether zstandard keeps its buffers for reuse
  */
private[avro] final case class AvroCodec(name: String, level: Int, bufferPool: Boolean) {

  def factory: CodecFactory = name match {
    case "null"      => CodecFactory.nullCodec()
    case "deflate"   => CodecFactory.deflateCodec(level)
    case "xz"        => CodecFactory.xzCodec(level)
    case "zstandard" => CodecFactory.zstandardCodec(level, false, bufferPool)
    case other       => CodecFactory.fromString(other)
  }
}

private[avro] object AvroCodec {

  /** The codec that Spark set for Avro's output format, which would read it from there in each task. */
  def of(job: Configuration): AvroCodec =
    if (!job.getBoolean("mapreduce.output.fileoutputformat.compress", false)) AvroCodec("null", 0, false)
    else
      job.get("avro.output.codec") match {
        case "deflate"   => leveled("deflate", job.getInt(AvroOutputFormat.DEFLATE_LEVEL_KEY, -1))
        case "xz"        => leveled("xz", job.getInt(AvroOutputFormat.XZ_LEVEL_KEY, 6))
        case "zstandard" =>
          AvroCodec(
            "zstandard",
            job.getInt(AvroOutputFormat.ZSTD_LEVEL_KEY, 3),
            job.getBoolean(AvroOutputFormat.ZSTD_BUFFERPOOL_KEY, false)
          )
        case other => leveled(other, 0)
      }

  private def leveled(name: String, level: Int): AvroCodec = AvroCodec(name, level, bufferPool = false)
}
