// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.{IOException, RandomAccessFile}
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path}

import scala.collection.concurrent.TrieMap

import stoplog.log.LogFiles
import stoplog.fault.Faults
import stoplog.laws.{LawSuite, StorageUnderTest}
import stoplog.log.{CommitLog, LogRecord, RecordKind, SinkState}
import stoplog.log.CommitLog.Decided
import stoplog.part.RunId

/** What is forced to the disk, and what follows when that fails. */
class LocalForcingSuite extends LawSuite {

  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Disk)

  forcing("a record whose directory cannot be forced to the disk is no decision") { (root, disk) =>
    disk.failing = Some("log")
    assert(condition(log(root, disk).append(record(0))) === "STOPLOG_UNKNOWN_OUTCOME")
    disk.failing = None
    assert(log(root, disk).newest().map(_.seq) === Some(0L), "the next start finds it")
  }

  forcing("a record whose directory is forced at the second try is a decision") { (root, disk) =>
    disk.failing = Some("log")
    disk.failures = 1
    assert(log(root, disk).append(record(0)) === Decided)
    assert(disk.forced(root.resolve("_stoplog/main/log")) === 1)
  }

  forcing("nobody goes on from a record of another before it is on the disk") { (root, disk) =>
    log(root, new Disk).append(record(0))
    disk.failing = Some("log")
    assert(condition(log(root, disk).newest()) === "STOPLOG_STORE_WRITE")
    disk.failing = None
    assert(log(root, disk).newest().map(_.seq) === Some(0L))
    assert(disk.forced(root.resolve("_stoplog/main/log")) === 1)
  }

  forcing("whoever finds a part published forces its name to the disk") { (root, disk) =>
    val store = new LocalPartStore(root.toString, "main", LocalUnderTest.staging("main"), disk, Faults.none)
    val open  = leftOpen(store, "rows\n")
    disk.failing = Some("b")
    assert(condition(store.publish(open, 5, "b/part-1.txt")) === "STOPLOG_STORE_WRITE")
    assert(condition(store.publish(open, 5, "b/part-1.txt")) === "STOPLOG_STORE_WRITE")
    disk.failing = None
    store.publish(open, 5, "b/part-1.txt")
    assert(disk.forced(root.resolve("b")) === 1)
  }

  forcing("a directory that another thread has made is forced before anything is built on it") {
    (root, disk) =>
      disk.failing = Some(root.getFileName.toString) // after it was made: that thread got no further
      intercept[IOException](LocalForcing.createDirectories(root.resolve("b"), disk))
      assert(Files.isDirectory(root.resolve("b")))
      disk.failing = None
      LocalForcing.createDirectories(root.resolve("b"), disk)
      assert(disk.forced(root) === 1)
      LocalForcing.createDirectories(root.resolve("b"), disk)
      assert(disk.forced(root) === 1, "and but once")
  }

  forcing(
    "a directory that another process has made is forced in its parent, and so is each one above, when it is first used"
  ) { (root, disk) =>
    val bucket = Files.createDirectories(root.resolve("a/b"))
    LocalForcing.createDirectories(bucket, disk)
    assert(disk.forced(bucket.getParent) === 1 && disk.forced(root) === 1)
    LocalForcing.createDirectories(bucket, disk)
    LocalForcing.createDirectories(bucket.resolve("c"), disk)
    assert(disk.forced(bucket.getParent) === 1 && disk.forced(root) === 1, "and but once")
    assert(disk.forced(bucket) === 1)

    disk.failing = Some("a")
    intercept[IOException](
      LocalForcing.createDirectories(Files.createDirectory(root.resolve("a/other")), disk)
    )
  }

  forcing("another directory under the name of one that was removed is forced, too") { (root, disk) =>
    val bucket = root.resolve("b")
    LocalForcing.createDirectories(bucket, disk)
    Files.move(bucket, root.resolve("moved")) // and not deleted: another one could get its number
    Files.createDirectory(bucket)
    LocalForcing.createDirectories(bucket, disk)
    assert(disk.forced(root) === 2)
  }

  forcing("nothing is asked of the disk where only processes may die") { (root, _) =>
    LocalForcing.createDirectories(root.resolve("b"), LocalForcing.Process)
    val disk = new Disk
    LocalForcing.createDirectories(root.resolve("b"), disk)
    assert(disk.forced(root) === 1, "which says nothing of the disk")
  }

  private def forcing(name: String)(body: (Path, Disk) => Unit): Unit = law(name) {
    case storage: LocalUnderTest => body(storage.root, new Disk)
    case other                   => fail(s"$other")
  }

  private def log(root: Path, disk: LocalForcing): CommitLog =
    new CommitLog(new LogFiles(LocalFileStore.ofSink(root.toString, "main", disk), "main"))

  private def record(seq: Long): LogRecord = LogRecord(
    seq,
    RecordKind.Claim,
    RunId("11111111-1111-4111-8111-111111111111"),
    0,
    Vector.empty,
    SinkState("q", None, Vector.empty, 0, Map.empty)
  )

  /** Counts what is forced, and fails for directories of one name. */
  private final class Disk extends LocalForcing {
    private val times      = TrieMap.empty[Path, Int]
    @volatile var failing  = Option.empty[String]
    @volatile var failures = Int.MaxValue

    def forced(directory: Path): Int = times.getOrElse(directory, 0)

    private[local] override def sync(file: RandomAccessFile): Unit = ()
    private[local] override def sync(channel: FileChannel): Unit   = ()

    private[local] override def syncDirectory(directory: Path): Unit = synchronized {
      if (failing.contains(directory.getFileName.toString) && failures > 0) {
        failures -= 1
        throw new IOException(s"$directory: Input/output error")
      }
      times.update(directory, forced(directory) + 1)
    }
  }
}
