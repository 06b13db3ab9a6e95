// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.RandomAccessFile
import java.nio.channels.FileChannel
import java.nio.file.{Files, NoSuchFileException, Path}
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean

import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.laws.{LawSuite, StorageUnderTest}
import stoplog.log.{CommitLog, LogFiles, LogRecord, QueryEpoch, RecordKind, SinkState}
import stoplog.part.RunId
import stoplog.sink.CommitOutcome
import stoplog.storage.{DelegatingFileStore, MoveOutcome, PutOutcome}

/** Calls that create or move names while other jobs move the files on and remove each empty directory. */
class RemovedDirectoriesSuite extends LawSuite {

  override def newStorage(): StorageUnderTest =
    LocalUnderTest.create(LocalUnderTest.staging, LocalForcing.Disk)

  removing("a new file creates its directory again") { (store, others, root) =>
    store.create("b/one")(_.write(1))
    assert(store.createIfAbsent("c/two")(_.write(2)) === PutOutcome.Created)
    assert(others.removals === 6 && Files.exists(root.resolve("b/one")))
  }

  removing("a move creates the directory again, and reports that this caller has moved the file") {
    (store, others, root) =>
      Files.write(Files.createDirectory(root.resolve("from")).resolve("one"), Array[Byte](1))
      assert(store.move("from/one", "b/one") === MoveOutcome.Moved)
      assert(others.removals === 3 && Files.exists(root.resolve("b/one")))
  }

  removing("a second path of a file is created in a new directory") { (store, others, root) =>
    Files.write(root.resolve("one"), Array[Byte](1))
    store.duplicate("one", "b/one")
    assert(others.removals === 3 && Files.exists(root.resolve("b/one")))
  }

  removing("a part is published in a new directory, although another job moves the part on immediately") {
    (_, others, root) =>
      val staging = LocalUnderTest.staging("main")
      val store   = new LocalPartStore(root.toString, "main", staging, others, Faults.none)
      val open    = leftOpen(store, "rows\n")
      others.takes = Some(root.resolve("c/part"))
      assert(store.publish(open, 5, "c/part") === CommitOutcome.Committed)
      assert(others.removals === 3 && !Files.exists(root.resolve("c")))
  }

  removing("a moved file that another job moves on immediately counts as moved") { (store, others, root) =>
    Files.write(root.resolve("one"), Array[Byte](1))
    others.takes = Some(root.resolve("c/one"))
    assert(store.move("one", "c/one") === MoveOutcome.Moved)
    assert(!Files.exists(root.resolve("c")))
  }

  for (
    (call, create) <- Seq[(String, (LocalFileStore, String) => Any)](
      ("create", (store, path) => store.create(path)(_.write(1))),
      ("createIfAbsent", (store, path) => assert(store.putIfAbsent(path, Array(1)) === PutOutcome.Created)),
      ("duplicate", (store, path) => store.duplicate("one", path))
    )
  ) removing(s"$call: a file that another job moves on immediately counts as created") {
    (store, others, root) =>
      Files.write(root.resolve("one"), Array[Byte](1))
      others.takes = Some(root.resolve("c/two"))
      create(store, "c/two")
      assert(others.removals === 3 && !Files.exists(root.resolve("c")))
  }

  removing("createIfAbsent fails if the disk of the new file is away before the file is durable") {
    (_, others, root) =>
      val places = Seq("target", "/dev/shm").map(Path.of(_)).filter(Files.isDirectory(_))
      val other  = places.find(!LocalFiles.areOnOneFileSystem(_, root))
      assume(other.nonEmpty, "needs two file systems")
      val disk = Files.createTempDirectory(other.get.toAbsolutePath, "stoplog-disk")
      try {
        Files.createSymbolicLink(root.resolve("disk"), Files.createDirectory(disk.resolve("c")))
        others.away = Some(root.resolve("disk"))
        val store  = new LocalFileStore(root.toString, drafts = None, others)
        val failed = intercept[StoplogException](store.putIfAbsent("disk/one", Array[Byte](1)))
        assert(failed.getCondition === "STOPLOG_STORE_WRITE")
      } finally LocalUnderTest.remove(disk)
  }

  law("the newest record of a job that deletes its log meanwhile is no failure") {
    case storage: LocalUnderTest =>
      val files = LocalFileStore.ofSink(storage.root.toString, "batch-1", LocalForcing.Disk)
      val state = SinkState(QueryEpoch("batch-1", Some(0)), Vector.empty, nextPart = 0, Map.empty)
      val run   = RunId("11111111-1111-4111-8111-111111111111")
      new CommitLog(new LogFiles(files, "batch-1"))
        .append(LogRecord(0, RecordKind.Epoch(0), run, 0, Vector.empty, state))
      val deleting = new DelegatingFileStore(files) {
        override def read(path: String): Option[Array[Byte]] = {
          val found = super.read(path)
          files.deleteTree("_stoplog/batch-1")
          found
        }
      }
      assert(new CommitLog(new LogFiles(deleting, "batch-1")).newest().map(_.seq) === Some(0))
      assert(new CommitLog(new LogFiles(files, "batch-1")).newest() === None)
    case other => fail(s"$other")
  }

  removing("a directory that other jobs remove and create is no obstacle for hiding files") {
    (store, _, root) =>
      val over   = new AtomicBoolean
      val others = CompletableFuture.runAsync { () =>
        while (!over.get) {
          Files.createDirectory(root.resolve("b"))
          Files.delete(root.resolve("b"))
        }
      }
      try (1 to 20000).foreach(_ => assert(store.unmovable(Seq("b"), "hidden/file") === None))
      finally over.set(true)
      others.join(): Unit
  }

  removing("links that other jobs create and remove are no obstacle for a listing") { (store, _, root) =>
    val over   = new AtomicBoolean
    val others = CompletableFuture.runAsync { () =>
      while (!over.get) {
        Files.createSymbolicLink(root.resolve("b"), root)
        Files.delete(root.resolve("b"))
      }
    }
    try (1 to 20000).foreach(_ => assert(store.list("").size <= 1))
    finally over.set(true)
    others.join(): Unit
  }

  removing("a trial of a path creates the directories again") { (_, others, root) =>
    new LocalStorage("b", s"$root/b", others, Faults.none).probe("main", LocalUnderTest.staging("main"))
    assert(others.removals === 3)
  }

  private def removing(name: String)(action: (LocalFileStore, OtherJobs, Path) => Unit): Unit = law(name) {
    case storage: LocalUnderTest =>
      val others = new OtherJobs(storage.root)
      action(LocalFileStore.ofSink(storage.root.toString, "main", others), others, storage.root)
    case other => fail(s"$other")
  }

  /** Other jobs. When a directory `b` or `c` is new, they remove the directory, three times each. */
  private final class OtherJobs(root: Path) extends LocalForcing {
    private var left = Map("b" -> 3, "c" -> 3)

    /** A file that is moved on as soon as this job has moved the file there. */
    var takes = Option.empty[Path]

    /** A link to another disk that is away once a name in the directory is to be durable. */
    var away = Option.empty[Path]

    def removals: Int = 6 - left.values.sum

    private[local] override def sync(file: RandomAccessFile): Unit = ()
    private[local] override def sync(channel: FileChannel): Unit   = ()

    private[local] override def syncDirectory(directory: Path): Unit = {
      if (directory == root)
        for ((name, more) <- left if more > 0 && Files.deleteIfExists(root.resolve(name)))
          left = left.updated(name, more - 1)
      takes.filter(Files.deleteIfExists(_)).foreach(file => Files.delete(file.getParent))
      if (away.contains(directory)) Files.delete(directory)
      if (!Files.exists(directory)) throw new NoSuchFileException(directory.toString)
    }
  }
}
