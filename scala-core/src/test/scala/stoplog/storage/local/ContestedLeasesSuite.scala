// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.RandomAccessFile
import java.nio.channels.{FileChannel, FileLock}
import java.nio.file.{Files, Path, Paths, StandardOpenOption}
import java.util.concurrent.CountDownLatch

import org.scalatest.funsuite.AnyFunSuite

import stoplog.laws.Elsewhere
import stoplog.storage.Durability

/** Leases that other processes check while this process creates the lease. */
class ContestedLeasesSuite extends AnyFunSuite {

  test("a lease that another process checks at the moment of its creation is taken") {
    val directory = Files.createTempDirectory("stoplog-leases")
    try {
      val first = WriterLeases.enter(directory, "run-1", LocalForcing.Process)
      val file  = LocalFiles.list(directory).head
      first.close()
      val other = Elsewhere.start(LockedFile(file.toString))
      try {
        assert(other.answer === "locked")
        val tries = new SecondTry(() => other.kill())
        val lease = WriterLeases.enter(directory, "run-1", tries)
        assert(tries.count > 1 && Files.exists(file))
        lease.close()
      } finally other.kill()
    } finally LocalUnderTest.remove(directory)
  }

  /** Counts the tries of a call that creates a name: each asks whether names are forced. */
  private final class SecondTry(happens: () => Unit) extends LocalForcing {
    var count = 0

    private[local] override def sync(file: RandomAccessFile): Unit   = ()
    private[local] override def sync(channel: FileChannel): Unit     = ()
    private[local] override def syncDirectory(directory: Path): Unit = ()
    private[local] override def survived: Durability                 = {
      count += 1
      if (count == 2) happens()
      Durability.Process
    }
  }
}

/** Locks a file until the process is killed. */
private final case class LockedFile(file: String) extends Elsewhere.Task {
  @transient private var lock: FileLock = _

  override def run(): String = {
    val options = Seq(StandardOpenOption.CREATE, StandardOpenOption.WRITE)
    lock = FileChannel.open(Paths.get(file), options: _*).tryLock()
    if (lock == null) "taken" else "locked"
  }

  override def afterwards(): Unit = new CountDownLatch(1).await()
}
