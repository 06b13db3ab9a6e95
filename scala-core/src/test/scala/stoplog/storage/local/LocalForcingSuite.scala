// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.{IOException, RandomAccessFile}
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path}

import scala.collection.concurrent.TrieMap
import scala.util.{Success, Try}

import org.apache.hadoop.conf.Configuration

import stoplog.fault.Faults
import stoplog.laws.{LawSuite, StorageUnderTest}
import stoplog.log.{CommitLog, LogFiles, LogRecord, QueryEpoch, RecordKind, RecordNames, SinkState}
import stoplog.log.CommitLog.Decided
import stoplog.part.{LastWriter, Open, PartRows, Resume, RunId}
import stoplog.storage.{Durability, FileStore}
import stoplog.storage.hadoop.{HadoopFileStore, HadoopFiles, HadoopSettings}
import stoplog.storage.s3.S3FileStore

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

  forcing("a directory of another process in place of one that this process has removed is forced, too") {
    (root, disk) =>
      val store   = new LocalFileStore(root.toString, drafts = None, disk)
      val bucket  = root.resolve("b")
      val removes = Seq[String => Unit](store.deleteEmpty(_), store.deleteTree(_))
      for {
        remove <- removes
        _      <- 1 to 20 // the new directory often gets the number of the old one
      } {
        LocalForcing.createDirectories(bucket, disk)
        remove("b")
        Files.createDirectory(bucket)
        val before = disk.forced(root)
        LocalForcing.createDirectories(bucket, disk)
        assert(disk.forced(root) === before + 1)
        Files.delete(bucket)
      }
  }

  forcing("nothing is asked of the disk where only processes may die") { (root, _) =>
    LocalForcing.createDirectories(root.resolve("b"), LocalForcing.Process)
    val disk = new Disk
    LocalForcing.createDirectories(root.resolve("b"), disk)
    assert(disk.forced(root) === 1, "which says nothing of the disk")
  }

  law(
    "a log that nothing forces to the disk is read without any of its older records, however many open parts there are"
  ) {
    case storage: LocalUnderTest =>
      def stored(forcing: LocalForcing): LocalFileStore =
        LocalFileStore.ofSink(storage.root.resolve(forcing.toString).toString, "main", forcing)
      def readable(forcing: LocalForcing): Seq[Boolean] = {
        val files = stored(forcing)
        val log   = new CommitLog(new LogFiles(files, "main"))
        (0 to 4).foreach(n => assert(log.append(withParts(n.toLong)) === Decided))
        (0 to 3).map { n =>
          val name    = s"_stoplog/main/log/${RecordNames.name(n.toLong)}"
          val content = files.read(name).get
          files.delete(Seq(name))
          files.create(name)(_ => ()) // a file system may keep the name without the bytes
          val newest = Try(new CommitLog(new LogFiles(stored(forcing), "main")).newest().map(_.seq))
          files.create(name)(_.write(content))
          newest == Success(Some(4L))
        }
      }
      assert(readable(LocalForcing.Process) === Seq.fill(4)(true))
      assert(readable(LocalForcing.Disk) === Seq.fill(4)(false), "records 1 to 4 are differences")
    case other => fail(s"$other")
  }

  test("a store reports the durability of its files") {
    def hadoop(durability: Durability) =
      new HadoopFiles("file:///", new HadoopSettings(new Configuration()), durability = durability)
    for (durability <- Seq(Durability.Disk, Durability.Process)) {
      def survived(files: FileStore) = files.capabilities.durability
      assert(survived(LocalFileStore.ofSink("/", "main", LocalForcing.of(durability))) === durability)
      assert(survived(new HadoopFileStore(hadoop(durability), None)) === durability)
      assert(survived(new S3FileStore(hadoop(durability))) === Durability.Disk)
    }
  }

  forcing("a copy in place of a hard link is forced to the disk before its name exists") { (root, disk) =>
    val places = Seq("target", "/dev/shm").map(Path.of(_)).filter(Files.isDirectory(_))
    val other  = places.find(!LocalFiles.areOnOneFileSystem(_, root))
    assume(other.nonEmpty, "needs two file systems")
    val elsewhere = Files.createTempDirectory(other.get.toAbsolutePath, "stoplog-disk")
    try {
      Files.createSymbolicLink(root.resolve("aside"), elsewhere)
      Files.write(root.resolve("one"), Array[Byte](1, 2))
      new LocalFileStore(root.toString, drafts = None, disk).duplicate("one", "aside/two")
      assert(Files.size(elsewhere.resolve("two")) === 2 && disk.syncedFiles === 1)
    } finally LocalUnderTest.remove(elsewhere)
  }

  private def forcing(name: String)(body: (Path, Disk) => Unit): Unit = law(name) {
    case storage: LocalUnderTest => body(storage.root, new Disk)
    case other                   => fail(s"$other")
  }

  private def log(root: Path, disk: LocalForcing): CommitLog =
    new CommitLog(new LogFiles(LocalFileStore.ofSink(root.toString, "main", disk), "main"))

  /** Of many open parts, of which each epoch writes to one. */
  private def withParts(seq: Long): LogRecord = {
    val open = Vector.tabulate(400) { n =>
      val bytes = if (n == 0) seq else 0L
      Open(
        "b",
        s"part-$n",
        Resume(s"_stoplog/main/open/b/part-$n"),
        bytes,
        PartRows(bytes, 0, 0),
        LastWriter(n, Some(run))
      )
    }
    val kind = if (seq == 0) RecordKind.Claim else RecordKind.Epoch(seq)
    record(seq).copy(kind = kind, state = SinkState(QueryEpoch("q", Some(seq)), open, 400, Map.empty))
  }

  private def record(seq: Long): LogRecord = LogRecord(
    seq,
    RecordKind.Claim,
    RunId("11111111-1111-4111-8111-111111111111"),
    0,
    Vector.empty,
    SinkState(QueryEpoch("q", None), Vector.empty, 0, Map.empty)
  )

  /** Counts what is forced, and fails for directories of one name. */
  private final class Disk extends LocalForcing {
    private val times      = TrieMap.empty[Path, Int]
    @volatile var failing  = Option.empty[String]
    @volatile var failures = Int.MaxValue

    /** How many files were forced. */
    @volatile var syncedFiles = 0

    def forced(directory: Path): Int = times.getOrElse(directory, 0)

    private[local] override def sync(file: RandomAccessFile): Unit = synchronized(syncedFiles += 1)
    private[local] override def sync(channel: FileChannel): Unit   = ()

    private[local] override def syncDirectory(directory: Path): Unit = synchronized {
      if (failing.exists(directory.endsWith(_)) && failures > 0) {
        failures -= 1
        throw new IOException(s"$directory: Input/output error")
      }
      times.update(directory, forced(directory) + 1)
    }
  }
}
