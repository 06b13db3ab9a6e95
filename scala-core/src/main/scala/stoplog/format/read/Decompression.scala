// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{BufferedInputStream, EOFException, FilterInputStream, IOException, InputStream}
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import scala.annotation.nowarn

import com.github.luben.zstd.ZstdInputStreamNoFinalizer
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream
import org.apache.commons.io.input.ReaderInputStream
import org.apache.hadoop.conf.{Configurable, Configuration}
import org.apache.hadoop.io.compress.{
  BlockDecompressorStream, CompressionCodec, Decompressor, DeflateCodec, Lz4Codec, SnappyCodec
}

import stoplog.source.file.Decoding
import stoplog.storage.{SourceFile, SourceFiles}

/** Tells by a file's suffix how it is compressed. What is written as several members is read as one. */
private[stoplog] object Decompression extends Decoding {

  override def of(files: SourceFiles, file: SourceFile): Option[InputStream => InputStream] = {
    val name = files.nameOf(file)
    Option
      .when(name.contains('.'))(name.substring(name.lastIndexOf('.')).toLowerCase(Locale.ROOT))
      .flatMap(ofSuffix)
      .map(of(file, _))
  }

  /** The decoder of files with this suffix, such as `.gz`. It takes no file that breaks off for a whole one. */
  private[stoplog] def ofSuffix(suffix: String): Option[InputStream => InputStream] = bySuffix.get(suffix)

  /** A file without a byte has no rows, as everywhere: some decoders would miss their header in it. */
  private def of(file: SourceFile, decode: InputStream => InputStream): InputStream => InputStream =
    if (file.bytes == 0) identity else decode

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

  // Java's own and Hadoop's take any trouble at the head of a later member for the end of the file. Spark 4.0 has a version
  // of this one without the builder.
  @nowarn("cat=deprecation")
  private def gzip: InputStream => InputStream =
    in => new GzipCompressorInputStream(buffered(in), true)

  private def bzip2: InputStream => InputStream =
    in => new BZip2CompressorInputStream(buffered(in), true)

  private def zstd: InputStream => InputStream = in => new ZstdInputStreamNoFinalizer(in)

  private def hadoop(codec: => CompressionCodec with Configurable): InputStream => InputStream =
    in => configured(codec).createInputStream(in)

  private def blocks(codec: => CompressionCodec with Configurable): InputStream => InputStream =
    in => new WholeBlocks(in, configured(codec).createDecompressor())

  private def configured[C <: Configurable](codec: C): C = {
    codec.setConf(configuration)
    codec
  }

  private def buffered(in: InputStream) = new BufferedInputStream(in, BufferBytes)

  /** Makes UTF-8 of the bytes of files in another character set.
    *
    * Such files are read from their beginnings: where a character begins can be told only from there.
    */
  private[read] final class Transcoding(charset: String, before: Decoding) extends Decoding {

    override def of(files: SourceFiles, file: SourceFile): Option[InputStream => InputStream] = Some { in =>
      val bytes = before.of(files, file).fold(in)(_(in))
      ReaderInputStream
        .builder()
        .setReader(new java.io.InputStreamReader(bytes, Charset.forName(charset)))
        .setCharset(UTF_8)
        .get()
    }
  }

  private lazy val configuration = new Configuration(false)

  private final val BufferBytes = 64 * 1024

  /** Hadoop's blocks of LZ4 and Snappy, without its leniency: it takes any trouble with a block for the end of the file,
    * and a block of length 0, which it writes itself behind a large write; rows would be missing without a word.
    */
  private[read] final class WholeBlocks private (raw: WholeBlocks.Watched, decompressor: Decompressor)
      extends BlockDecompressorStream(raw, decompressor, WholeBlocks.BufferBytes) {
    def this(in: InputStream, decompressor: Decompressor) =
      this(new WholeBlocks.Watched(in), decompressor)

    private var trouble: Option[IOException] = None

    @scala.annotation.tailrec
    override protected def decompress(bytes: Array[Byte], offset: Int, length: Int): Int = {
      val read = super.decompress(bytes, offset, length)
      if (read >= 0) read
      else {
        (trouble ++ raw.trouble).headOption.foreach(throw _)
        if (raw.taken > 0 && raw.taken < WholeBlocks.LengthBytes) throw WholeBlocks.torn
        if (raw.taken == 0) read
        else {
          if (raw.lastInt != 0) throw WholeBlocks.negative
          raw.taken = 0
          eof = false
          decompress(bytes, offset, length)
        }
      }
    }

    override protected def getCompressedData(): Int =
      try {
        val length =
          in.readNBytes(WholeBlocks.LengthBytes).foldLeft(0)((sum, byte) => (sum << 8) | (byte & 0xff))
        if (raw.atEnd) throw WholeBlocks.torn
        if (length < 0) throw WholeBlocks.negative
        val read = fill(length)
        raw.taken = 0
        read
      } catch {
        case e: IOException =>
          trouble = Some(e)
          throw e
      }

    /** A length that is none may be anything: no buffer is made before the bytes are there. */
    private def fill(length: Int): Int = {
      val read =
        if (length <= buffer.length) in.readNBytes(buffer, 0, length)
        else {
          buffer = in.readNBytes(length)
          buffer.length
        }
      if (read < length) throw WholeBlocks.torn
      length
    }
  }

  private object WholeBlocks {
    final val BufferBytes = 256 * 1024
    final val LengthBytes = 4

    def torn: EOFException    = new EOFException("it ends in the middle of a block")
    def negative: IOException = new IOException("the length of a block is negative")

    /** Remembers what a caller would forget. */
    final class Watched(in: InputStream) extends FilterInputStream(in) {
      var taken: Int                   = 0 // bytes since it was set to 0
      var lastInt: Int                 = 0 // of the last bytes that were asked for one by one
      var atEnd: Boolean               = false
      var trouble: Option[IOException] = None

      override def read(): Int = watched(in.read()) { byte =>
        if (byte >= 0) {
          taken += 1
          lastInt = (lastInt << 8) | byte
        }
      }

      override def read(bytes: Array[Byte], offset: Int, length: Int): Int =
        watched(in.read(bytes, offset, length)) { count =>
          if (count > 0) taken += count
        }

      private def watched(action: => Int)(count: Int => Unit): Int =
        try {
          val result = action
          if (result < 0) atEnd = true
          count(result)
          result
        } catch {
          case e: IOException =>
            trouble = Some(e)
            throw e
        }
    }
  }
}
