// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.FileNotFoundException
import java.net.URI
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, Path}
import org.apache.hadoop.security.AccessControlException

/** A local directory in which some calls of `open(2)` fail, as `java.io` reports that: as "not found". */
class RefusingFs extends DiskFs {
  override def getUri: URI       = URI.create(s"${RefusingFs.Scheme}:///")
  override def getScheme: String = RefusingFs.Scheme

  override def open(path: Path, bufferBytes: Int): FSDataInputStream = {
    RefusingFs.rule.filter(_.isDue()).foreach(rule => throw new FileNotFoundException(s"$path (${rule.why})"))
    super.open(path, bufferBytes)
  }

  override def listStatus(path: Path): Array[FileStatus] =
    if (path.getName == RefusingFs.Unlisted) throw new AccessControlException(s"Permission denied: $path")
    else super.listStatus(path)
}

object RefusingFs {
  val Scheme: String = "refusing"

  /** The name of directories that no user may list. */
  val Unlisted: String = "lost+found"

  /** The failures from now on, in this JVM. */
  @volatile var rule: Option[Rule] = None

  def register(configuration: Configuration): Unit =
    configuration.set(s"fs.$Scheme.impl", classOf[RefusingFs].getName)

  /** Refuses one of so many calls.
    *
    * @param why the operating system's text
    */
  final class Rule(val why: String, oneOf: Int) {
    private val calls = new AtomicInteger()

    def refused: Int = calls.get() / oneOf

    def isDue(): Boolean = calls.incrementAndGet() % oneOf == 0
  }
}
