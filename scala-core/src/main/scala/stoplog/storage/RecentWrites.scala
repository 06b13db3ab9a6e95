// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{ByteArrayOutputStream, OutputStream}
import java.util.{LinkedHashMap => JLinkedHashMap}

import scala.annotation.tailrec

/** The bytes of files that this process has written last, so that it need not ask a distant store for them at the next epoch.
  *
  * Only for files that are written once, whole, under a name that occurs once in the world: these bytes are what the name
  * stands for, or another process has deleted the file. So it is for readers to whom a deleted file means nothing: the log
  * names what they read, and decides. What is kept here is a copy, and no file depends on it: a process that does not have
  * it reads the file.
  *
  * A file is known by the path that users know, with scheme and bucket. Goes to other processes without what it holds.
  */
private[stoplog] sealed trait RecentWrites extends Product with Serializable {

  /** Keeps the bytes as long as there is room. The caller does not change them any more. */
  def keep(file: String, bytes: Array[Byte]): Unit

  /** The bytes of the file, if they are kept. The caller does not change them. */
  def find(file: String): Option[Array[Byte]]

  /** Gives up bytes that no epoch will ask for. */
  def drop(file: String): Unit

  /** The first bytes of the file: of what is kept, or what `read` answers. The caller does not change them. */
  final def firstBytes(file: String, count: Int)(read: => Option[Array[Byte]]): Option[Array[Byte]] =
    find(file)
      .filter(_.length >= count)
      .map(all => if (all.length == count) all else all.take(count))
      .orElse(read)

  /** Writes a file, and keeps what is written. */
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

  /** Keeps nothing: all is read from the store. */
  case object None extends RecentWrites {
    override def keep(file: String, bytes: Array[Byte]): Unit = ()
    override def find(file: String): Option[Array[Byte]]      = Option.empty
    override def drop(file: String): Unit                     = ()
  }

  /** The process's own: up to a sixteenth of the heap. Those that were asked for least recently go first. */
  case object OfProcess extends RecentWrites {
    private lazy val kept = new Kept(Runtime.getRuntime.maxMemory / 16)

    override def keep(file: String, bytes: Array[Byte]): Unit = kept.keep(file, bytes)
    override def find(file: String): Option[Array[Byte]]      = kept.find(file)
    override def drop(file: String): Unit                     = kept.drop(file)
  }

  /** Larger files are not kept: reading one costs its bytes more than its request. */
  val LargestBytes: Int = 16 << 20

  /** Used by all tasks of a process at once.
    *
    * @param limitBytes of all files together
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

  /** A copy of the bytes that go to a stream, as long as they are no more than the limit. */
  private final class Copy(limit: Int) extends OutputStream {
    private[this] var target  = OutputStream.nullOutputStream()
    private[this] var content = Option(new ByteArrayOutputStream())

    def of(out: OutputStream): Unit = target = out

    /** Nothing if it was more. */
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
