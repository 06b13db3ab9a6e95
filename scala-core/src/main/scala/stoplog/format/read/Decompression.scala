// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{EOFException, FilterInputStream, IOException, InputStream}
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import com.github.luben.zstd.ZstdInputStreamNoFinalizer
import org.apache.commons.io.input.ReaderInputStream
import org.apache.hadoop.conf.{Configurable, Configuration}
import org.apache.hadoop.io.compress.{
  BlockDecompressorStream, CompressionCodec, Decompressor, DeflateCodec, Lz4Codec, SnappyCodec
}

import stoplog.source.file.Decoding
import stoplog.storage.{SourceFile, SourceFiles}

/** Selects the decompression by a file's suffix. Reads files with several members as one stream. All decoded
  * bytes before a damaged place are returned before the error.
  */
private[stoplog] object Decompression extends Decoding {

  override def of(files: SourceFiles, file: SourceFile): Option[InputStream => InputStream] =
    ofName(files.nameOf(file)).map(decode => of(files, file, decode))

  /** Returns the decoder for a file with this name, by the last suffix in any case, such as `.gz`. Decoders
    * throw for truncated files, and may drop the bytes decoded by the failing call.
    */
  private[stoplog] def ofName(name: String): Option[InputStream => InputStream] =
    Option
      .when(name.contains('.'))(name.substring(name.lastIndexOf('.')).toLowerCase(Locale.ROOT))
      .flatMap(bySuffix.get)

  /** An empty file has no rows. Decoders are skipped, because some decoders would require a header. */
  private def of(
      files: SourceFiles,
      file: SourceFile,
      decode: InputStream => InputStream
  ): InputStream => InputStream =
    if (file.bytes == 0) identity else new DecodedFirst(_, decode, () => files.open(file, 0))

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

  private def gzip: InputStream => InputStream = new GzipMembers(_)

  private def bzip2: InputStream => InputStream = new Bzip2Members(_)

  private def zstd: InputStream => InputStream = in => new ZstdInputStreamNoFinalizer(in)

  private def hadoop(codec: => CompressionCodec with Configurable): InputStream => InputStream =
    in => configured(codec).createInputStream(in)

  private def blocks(codec: => CompressionCodec with Configurable): InputStream => InputStream =
    in => new WholeBlocks(in, configured(codec).createDecompressor())

  private def configured[C <: Configurable](codec: C): C = {
    codec.setConf(configuration)
    codec
  }

  /** Converts the bytes of files in another character set to UTF-8.
    *
    * Such files are read from the start, because the start of a character is only known from there.
    */
  private[read] final class Transcoding(charset: String, before: Decoding) extends Decoding {

    override def of(files: SourceFiles, file: SourceFile): Option[InputStream => InputStream] = {
      val decode = before.of(files, file).getOrElse(identity[InputStream] _)
      Some(new DecodedFirst(_, in => transcoded(decode(in)), () => files.open(file, 0)))
    }

    private def transcoded(bytes: InputStream): InputStream = ReaderInputStream
      .builder()
      .setReader(new java.io.InputStreamReader(bytes, Charset.forName(charset)))
      .setCharset(UTF_8)
      .get()
  }

  private lazy val configuration = new Configuration(false)

  /** Reads Hadoop's LZ4 and Snappy blocks strictly. Hadoop's reader treats any error in a block as the end of
    * the file, so rows would be lost silently. The same applies to a block of length 0, which Hadoop itself
    * writes after a large write.
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

    /** An invalid length can have any value, so no buffer is allocated before the bytes are read. */
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

    /** Keeps information that Hadoop's reader discards. */
    final class Watched(in: InputStream) extends FilterInputStream(in) {
      var taken: Int                   = 0 // bytes since the last reset to 0
      var lastInt: Int                 = 0 // the last bytes read by `read()`
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
