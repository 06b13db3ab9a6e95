// SPDX-License-Identifier: Apache-2.0
package stoplog.format.compress

import java.io.InputStream

import com.github.luben.zstd.{RecyclingBufferPool, ZstdInputStreamNoFinalizer}
import org.apache.hadoop.conf.{Configurable, Configuration}
import org.apache.hadoop.io.compress.{BZip2Codec, CompressionCodec, GzipCodec, Lz4Codec, SnappyCodec}

/** Reads what a [[Compression]] has written, all members of it. */
object Decompression {

  /** The bytes as they were. Closing it closes `in`. */
  def open(compression: Compression, in: InputStream): InputStream = compression match {
    case Compression.None   => in
    case Compression.Gzip   => hadoop(in, new GzipCodec)
    case Compression.Zstd   => new ZstdInputStreamNoFinalizer(in, RecyclingBufferPool.INSTANCE)
    case Compression.Lz4    => hadoop(in, new Lz4Codec)
    case Compression.Snappy => hadoop(in, new SnappyCodec)
    case Compression.Bzip2  => hadoop(in, new BZip2Codec)
  }

  private def hadoop(in: InputStream, codec: CompressionCodec with Configurable): InputStream = {
    codec.setConf(new Configuration(false))
    codec.createInputStream(in)
  }
}
