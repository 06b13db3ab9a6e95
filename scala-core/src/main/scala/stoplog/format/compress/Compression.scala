// SPDX-License-Identifier: Apache-2.0
package stoplog.format.compress

import java.io.OutputStream
import java.util.zip.GZIPOutputStream

import com.github.luben.zstd.{RecyclingBufferPool, ZstdOutputStreamNoFinalizer}
import org.apache.hadoop.conf.{Configurable, Configuration}
import org.apache.hadoop.io.compress.{BZip2Codec, CompressionCodec, Lz4Codec, SnappyCodec}

/** The compression of the bytes of a part.
  *
  * Every part is a sequence of members, one per epoch (see [[MemberStream]]). Where one kind of file cannot
  * be both what Spark reads and what the command-line tool reads, it is what Spark reads:
  *
  * | name   | suffix    | Spark reads it                      | command line                                                     |
  * |:-------|:----------|:------------------------------------|:-----------------------------------------------------------------|
  * | gzip   | `.gz`     | yes                                 | `gzip -d`, `zcat`                                                |
  * | zstd   | `.zst`    | from 4.1 (see [[Compression.Zstd]]) | `zstd -d`                                                        |
  * | bzip2  | `.bz2`    | yes, also split                     | `bzip2 -d`                                                       |
  * | lz4    | `.lz4`    | yes                                 | no: Hadoop's block framing, not the frame of `lz4`               |
  * | snappy | `.snappy` | yes                                 | only tools that know Hadoop's framing (`snzip -t hadoop-snappy`) |
  *
  * @param name   as in the option `compression`
  * @param suffix the end of a part's name, after the format's; empty for none
  */
private[stoplog] sealed abstract class Compression(val name: String, val suffix: String)
    extends Product
    with Serializable {

  /** A new member at the current end of `out`, which it never closes. */
  def openMember(out: OutputStream): MemberStream

  /** Whether readers see what follows any file of this kind. Other writers' files in Hadoop's blocks may end in one of length
    * 0, which readers take for the end.
    */
  def mayFollowAny: Boolean = true
}

private[stoplog] object Compression {

  /** The bytes as they are. */
  case object None extends Compression("none", "") {
    override def openMember(out: OutputStream): MemberStream = new MemberStream {
      override def write(b: Int): Unit                                      = out.write(b)
      override def write(bytes: Array[Byte], offset: Int, count: Int): Unit = out.write(bytes, offset, count)
      override def finish(): Unit                                           = ()
      override def close(): Unit                                            = ()
    }
  }

  /** Members of RFC 1952 at zlib's default level (6). */
  case object Gzip extends Compression("gzip", ".gz") {
    override def openMember(out: OutputStream): MemberStream =
      new MemberStream.CodecMember(out, new GZIPOutputStream(_, CodecBufferBytes))
  }

  /** Frames of RFC 8878 at zstd's default level (3), with a checksum as the command-line tool writes it.
    *
    * Spark 4.0 has no reader of its own for such files; there it needs Hadoop's native library.
    */
  case object Zstd extends Compression("zstd", ".zst") {
    override def openMember(out: OutputStream): MemberStream =
      new MemberStream.CodecMember(
        out,
        new ZstdOutputStreamNoFinalizer(_, RecyclingBufferPool.INSTANCE).setChecksum(true)
      )
  }

  /** Blocks of LZ4 in Hadoop's framing, which is what Spark reads under this suffix. It is not the frame
    * format of the `lz4` command, which cannot read it: choose `zstd` where both must.
    */
  case object Lz4 extends OfHadoop("lz4", ".lz4", new Lz4Codec) {
    override def mayFollowAny: Boolean = false
  }

  /** Blocks of Snappy in Hadoop's framing, which is what Spark reads under this suffix; it is not the framing
    * format of the Snappy project.
    */
  case object Snappy extends OfHadoop("snappy", ".snappy", new SnappyCodec) {
    override def mayFollowAny: Boolean = false
  }

  /** Streams of bzip2 with blocks of 900 kB. Slow to write; the one here that Spark can split within a file.
    */
  case object Bzip2 extends OfHadoop("bzip2", ".bz2", new BZip2Codec)

  /** All of them, in the order of the documentation. */
  val All: Seq[Compression] = Seq(None, Gzip, Zstd, Lz4, Snappy, Bzip2)

  /** The one with this name, in any case. */
  def named(name: String): Option[Compression] = All.find(_.name.equalsIgnoreCase(name))

  private val CodecBufferBytes = 16 * 1024

  // Hadoop's defaults only: no site file may change the bytes by its buffers or native code.
  private lazy val configuration = new Configuration(false)

  private def configured[C <: Configurable](codec: C): C = {
    codec.setConf(configuration)
    codec
  }

  private[compress] sealed abstract class OfHadoop(
      name: String,
      suffix: String,
      codec: => CompressionCodec with Configurable
  ) extends Compression(name, suffix) {
    override def openMember(out: OutputStream): MemberStream =
      new MemberStream.CodecMember(out, configured(codec).createOutputStream(_))
  }
}
