// SPDX-License-Identifier: Apache-2.0
package stoplog.format.compress

import java.io.OutputStream
import java.util.zip.GZIPOutputStream

import com.github.luben.zstd.{RecyclingBufferPool, ZstdOutputStreamNoFinalizer}
import org.apache.hadoop.conf.{Configurable, Configuration}
import org.apache.hadoop.io.compress.{BZip2Codec, CompressionCodec, Lz4Codec, SnappyCodec}

/** The compression of the bytes of a part.
  *
  * Every part is a sequence of members, one per epoch (see [[MemberStream]]). If Spark and the command-line
  * tool read different kinds of files, stoplog writes the kind for Spark:
  *
  * | name   | suffix    | Spark reads it                      | command line                     |
  * |:-------|:----------|:------------------------------------|:---------------------------------|
  * | gzip   | `.gz`     | yes                                 | `gzip -d`, `zcat`                |
  * | zstd   | `.zst`    | from 4.1 (see [[Compression.Zstd]]) | `zstd -d`                        |
  * | bzip2  | `.bz2`    | yes, also split                     | `bzip2 -d`                       |
  * | lz4    | `.lz4`    | yes                                 | none                             |
  * | snappy | `.snappy` | yes                                 | `snzip -t hadoop-snappy`         |
  *
  * Files with `.lz4` contain Hadoop's block framing instead of the frame of the command `lz4`. Files with
  * `.snappy` contain Hadoop's framing, which only some tools support.
  *
  * @param name   as in the option `compression`
  * @param suffix of a part's name, after the suffix of the format; empty for none
  */
private[stoplog] sealed abstract class Compression(val name: String, val suffix: String)
    extends Product
    with Serializable {

  /** Opens a new member at the current end of `out`. The member never closes `out`. */
  def openMember(out: OutputStream): MemberStream

  /** Whether readers see the bytes after a file of the sink. In Hadoop's block framing, a file may end in a
    * block of length 0, which readers treat as the end.
    */
  def mayFollowOwn: Boolean = true

  /** Whether readers see the bytes after a file of any writer. */
  def mayFollowAny: Boolean = mayFollowOwn
}

private[stoplog] object Compression {

  /** No compression. */
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
    // A file of another writer may end in zeros, after which readers ignore or reject more members.
    override def mayFollowAny: Boolean = false

    override def openMember(out: OutputStream): MemberStream =
      new MemberStream.CodecMember(out, new GZIPOutputStream(_, CodecBufferBytes))
  }

  /** Frames of RFC 8878 at zstd's default level (3), with a checksum, as written by the command-line tool.
    *
    * Spark 4.0 has no reader for such files and needs Hadoop's native library.
    */
  case object Zstd extends Compression("zstd", ".zst") {
    override def openMember(out: OutputStream): MemberStream =
      new MemberStream.CodecMember(
        out,
        new ZstdOutputStreamNoFinalizer(_, RecyclingBufferPool.INSTANCE).setChecksum(true)
      )
  }

  /** LZ4 blocks in Hadoop's framing, which Spark expects for this suffix. The `lz4` command cannot read this
    * framing: choose `zstd` if both must read the files.
    */
  case object Lz4 extends OfHadoop("lz4", ".lz4", new Lz4Codec) {
    override def mayFollowOwn: Boolean = false
  }

  /** Snappy blocks in Hadoop's framing, which Spark expects for this suffix. This is not the framing format
    * of the Snappy project.
    */
  case object Snappy extends OfHadoop("snappy", ".snappy", new SnappyCodec) {
    override def mayFollowOwn: Boolean = false
  }

  /** bzip2 streams with blocks of 900 kB. Slow to write, but the only compression here that Spark splits. */
  case object Bzip2 extends OfHadoop("bzip2", ".bz2", new BZip2Codec)

  /** All compressions, in the order of the documentation. */
  val All: Seq[Compression] = Seq(None, Gzip, Zstd, Lz4, Snappy, Bzip2)

  /** Returns the compression with this name, in any case. */
  def named(name: String): Option[Compression] = All.find(_.name.equalsIgnoreCase(name))

  private val CodecBufferBytes = 16 * 1024

  // Only Hadoop's defaults: no site file may change the bytes by its buffers or native code.
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
