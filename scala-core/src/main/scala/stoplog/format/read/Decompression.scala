// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{BufferedInputStream, IOException, InputStream}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.Locale
import java.util.zip.GZIPInputStream

import com.github.luben.zstd.ZstdInputStreamNoFinalizer
import org.apache.hadoop.conf.{Configurable, Configuration}
import org.apache.hadoop.io.compress.{BZip2Codec, CompressionCodec, DeflateCodec, Lz4Codec, SnappyCodec}

import stoplog.source.file.Decoding
import stoplog.storage.SourceFile

/** Tells by a file's suffix how it is compressed. What is written as several members is read as one. */
object Decompression extends Decoding {

  override def of(file: SourceFile): Option[InputStream => InputStream] = {
    val name = file.name
    Option
      .when(name.contains('.'))(name.substring(name.lastIndexOf('.')).toLowerCase(Locale.ROOT))
      .flatMap(bySuffix.get)
      .map(of(file, _))
  }

  /** A file without a byte has no rows, as everywhere: some decoders would miss their header in it. */
  private def of(file: SourceFile, decode: InputStream => InputStream): InputStream => InputStream =
    if (file.bytes == 0) identity else decode

  /** The suffixes that are known, in any case. */
  val Suffixes: Seq[String] = Seq(".gz", ".gzip", ".zst", ".zstd", ".bz2", ".deflate", ".lz4", ".snappy")

  private lazy val bySuffix: Map[String, InputStream => InputStream] = Map(
    ".gz"      -> gzip,
    ".gzip"    -> gzip,
    ".zst"     -> zstd,
    ".zstd"    -> zstd,
    ".bz2"     -> bzip2,
    ".deflate" -> hadoop(new DeflateCodec),
    ".lz4"     -> blocks(new Lz4Codec),
    ".snappy"  -> blocks(new SnappyCodec)
  )

  // Java's own asks whether there is a next member by `available`, which some streams answer with 0.
  private def gzip: InputStream => InputStream =
    in => new GZIPInputStream(new Unexhausted(new BufferedInputStream(in, BufferBytes)), BufferBytes)

  private def zstd: InputStream => InputStream = in => new ZstdInputStreamNoFinalizer(in)

  private def hadoop(codec: => CompressionCodec with Configurable): InputStream => InputStream = in => {
    val made = codec
    made.setConf(configuration)
    made.createInputStream(in)
  }

  private def blocks(codec: => CompressionCodec with Configurable): InputStream => InputStream = in => {
    val made = codec
    made.setConf(configuration)
    new WholeBlocks(in, made.createDecompressor())
  }

  // Hadoop's looks for a block anywhere, and takes what has none for empty.
  private def bzip2: InputStream => InputStream = in => {
    val whole = new BufferedInputStream(in, BufferBytes)
    whole.mark(Bzip2Head.length)
    val head = whole.readNBytes(Bzip2Head.length)
    whole.reset()
    if (head.nonEmpty && !head.sameElements(Bzip2Head))
      throw new IOException("it does not begin as bzip2 does")
    hadoop(new BZip2Codec)(whole)
  }

  private val Bzip2Head = "BZh".getBytes(US_ASCII)

  private lazy val configuration = new Configuration(false)

  private final val BufferBytes = 64 * 1024

  /** Says that something is available for as long as anything is. */
  private final class Unexhausted(in: BufferedInputStream) extends java.io.FilterInputStream(in) {
    override def available(): Int = {
      val known = super.available()
      if (known > 0) known
      else {
        in.mark(1)
        val next = in.read()
        if (next < 0) 0
        else {
          in.reset()
          1
        }
      }
    }
  }
}
