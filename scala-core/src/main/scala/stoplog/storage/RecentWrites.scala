// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{ByteArrayOutputStream, OutputStream}
import java.util.{LinkedHashMap => JLinkedHashMap}

import scala.annotation.tailrec

/** Caches the bytes of files that this process has recently written, to avoid reads from a remote store in
  * the next epoch.
  *
  * Only for files that are written once, as a whole, under a globally unique name. The cached bytes are the
  * content of the file, or another process has deleted the file. So the cache is only for readers that may
  * ignore a deletion, because the log decides which files they read. No file depends on the cache: a process
  * without the bytes reads the file.
  *
  * The key of a file is the user-visible path, with scheme and bucket. Serialization drops the cached bytes.
  */
private[stoplog] sealed trait RecentWrites extends Product with Serializable {

  /** Caches the bytes if memory is available. The caller MUST NOT change the bytes afterwards. */
  def keep(file: String, bytes: Array[Byte]): Unit

  /** Returns the bytes of the file, if they are cached. The caller MUST NOT change the bytes. */
  def find(file: String): Option[Array[Byte]]

  /** Drops bytes that no epoch will read. */
  def drop(file: String): Unit

  /** Returns the file's first bytes, from the cache or from `read`. The caller MUST NOT change the bytes. */
  final def firstBytes(file: String, count: Int)(read: => Option[Array[Byte]]): Option[Array[Byte]] =
    find(file)
      .filter(_.length >= count)
      .map(all => if (all.length == count) all else all.take(count))
      .orElse(read)

  /** Writes a file, and caches the written bytes. */
  final def keeping(file: String)(write: (OutputStream => OutputStream) => Unit): Unit = {
    val copy = new RecentWrites.Copy(RecentWrites.LargestBytes)
    write { out =>
      copy.of(out)
      copy
    }
    copy.bytes.foreach(keep(file, _))
  }
}

private[stoplog] object RecentWrites {

  /** Keeps nothing. Callers read every file from the store. */
  case object None extends RecentWrites {
    override def keep(file: String, bytes: Array[Byte]): Unit = ()
    override def find(file: String): Option[Array[Byte]]      = Option.empty
    override def drop(file: String): Unit                     = ()
  }

  /** The cache of the process: up to a sixteenth of the heap. Evicts the least recently used files first. */
  case object OfProcess extends RecentWrites {
    private lazy val kept = new Kept(Runtime.getRuntime.maxMemory / 16)

    override def keep(file: String, bytes: Array[Byte]): Unit = kept.keep(file, bytes)
    override def find(file: String): Option[Array[Byte]]      = kept.find(file)
    override def drop(file: String): Unit                     = kept.drop(file)
  }

  /** Larger files are not cached. For a larger file, the transfer takes longer than the request. */
  val LargestBytes: Int = 16 << 20

  /** Used by all tasks of a process concurrently.
    *
    * @param limitBytes the total size of all files
    */
  private[storage] final class Kept(limitBytes: Long) {
    private[this] val files = new JLinkedHashMap[String, Array[Byte]](16, 0.75f, true)
    private[this] var used  = 0L

    def keep(file: String, bytes: Array[Byte]): Unit = synchronized {
      drop(file)
      if (bytes.length <= LargestBytes && bytes.length <= limitBytes) {
        files.put(file, bytes)
        used += bytes.length
        makeRoom()
      }
    }

    def find(file: String): Option[Array[Byte]] = synchronized(Option(files.get(file)))

    def drop(file: String): Unit = synchronized {
      Option(files.remove(file)).foreach(bytes => used -= bytes.length)
    }

    @tailrec
    private def makeRoom(): Unit = if (used > limitBytes) {
      drop(files.keySet.iterator.next())
      makeRoom()
    }
  }

  /** Copies the bytes that are written to a stream, up to the limit. */
  private final class Copy(limit: Int) extends OutputStream {
    private[this] var target  = OutputStream.nullOutputStream()
    private[this] var content = Option(new ByteArrayOutputStream())

    def of(out: OutputStream): Unit = target = out

    /** Returns the copied bytes; `None` if the stream exceeded the limit. */
    def bytes: Option[Array[Byte]] = content.map(_.toByteArray)

    override def write(byte: Int): Unit = {
      target.write(byte)
      add(1)(_.write(byte))
    }

    override def write(from: Array[Byte], offset: Int, count: Int): Unit = {
      target.write(from, offset, count)
      add(count)(_.write(from, offset, count))
    }

    override def flush(): Unit = target.flush()

    private def add(count: Int)(write: ByteArrayOutputStream => Unit): Unit = {
      content = content.filter(_.size + count <= limit)
      content.foreach(write)
    }
  }
}
