// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import scala.util.Using

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit._
import stoplog.error.StoplogException
import stoplog.log.{CommitLog, LogRules}
import stoplog.part.{LastWriter, Open, PartRows, Publish, Resume, RunId, SpoolFile}
import stoplog.plan.Attempt
import stoplog.servers.S3Call._
import stoplog.servers.{FaultProxy, S3Call, S3Server}
import stoplog.storage.{FileStore, NewPart, PartOutput, RecentWrites, SpoolFiles}
import stoplog.thread.Parallel
import stoplog.writing.TaskWriters

/** What a part costs, in requests as the server sees them. */
class S3RequestsSuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)
  private val run        = RunId("11111111-1111-4111-8111-111111111111")
  private val mib        = new Array[Byte](1 << 20)

  override protected def afterAll(): Unit = proxy.close()

  private def counted(action: => Any): Map[S3Call, Int] = {
    proxy.inject()
    action
    proxy.counts
  }

  private def requests(
      name: String,
      settings: S3Settings = S3Settings(partBytes = 5 << 20, largePartBytes = 5 << 20)
  )(
      body: S3UnderTest => Unit
  ): Unit = test(name) {
    val storage = S3UnderTest.create(settings, S3Bucket(proxy.endpoint, "stoplog-requests"))
    try body(storage)
    finally storage.close()
  }

  private def write(output: PartOutput, bytes: Int): PartOutput = {
    Iterator
      .iterate(bytes)(_ - mib.length)
      .takeWhile(_ > 0)
      .foreach(left => output.write(mib, 0, left.min(mib.length)))
    output
  }

  private def begun(storage: S3UnderTest, bytes: Int): Resume =
    write(storage.partStore().create(NewPart("b", "part-1.txt", run)), bytes).persist()

  requests("an epoch of a part with a small tail costs nothing: its tail is in the record") { storage =>
    val open = begun(storage, 1000)
    assert(counted(write(storage.partStore().resume(open, 1000), 500).persist()) === Map.empty)
  }

  requests("a file is read by two requests, an empty file and a missing file by one") { storage =>
    val files = storage.files()
    files.create("full")(_.write(mib))
    files.create("empty")(_ => ())
    val full = counted(assert(files.read("full").exists(_.sameElements(mib))))
    assert(full === Map(HeadObject -> 1, GetObject -> 1))
    assert(counted(assert(files.read("empty").exists(_.isEmpty))) === Map(HeadObject -> 1))
    assert(counted(assert(files.read("missing").isEmpty)) === Map(HeadObject -> 1))
  }

  requests("an epoch costs one PUT for the tail, which the next one reads; old tails go eight at a time") {
    storage =>
      var open   = begun(storage, 10000)
      var bytes  = 10000
      val epochs = 20
      val costs  = counted {
        for (_ <- 1 to epochs) {
          open = write(storage.partStore().resume(open, bytes.toLong), 10000).persist()
          bytes += 10000
        }
      }
      assert(
        costs
          .removed(HeadObject) === Map(PutObject -> epochs, GetObject -> epochs, DeleteObjects -> 2)
      )
      assert(costs.getOrElse(HeadObject, 0) <= epochs)
  }

  requests("what comes behind a tail's object waits in the record, as long as it has room") { storage =>
    val room  = 25000
    var open  = begun(storage, 10000)
    val costs = counted {
      for (epoch <- 1 to 8)
        open = write(storage.partStore().resume(open, epoch * 10000L), 10000).persist(room)
    }
    assert(costs.get(PutObject) === Some(2), "of 30,000 bytes at a time")
    val again = storage.partStore().resume(open, 85000)
    assert(again.position === 85000)
    val closed = write(again, 5000).finish()
    storage.partStore().publish(closed, 90000, "b/part-1.txt")
    assert(storage.bytes("b/part-1.txt").toSeq === Seq.fill(90000)(mib.head))
  }

  requests("without room in the record a few bytes behind a tail's object make another object, too") {
    storage =>
      val open = begun(storage, 10000)
      assert(
        counted(write(storage.partStore().resume(open, 10000), 500).persist()).get(PutObject) === Some(1),
        "or thousands of parts would each have some in the record"
      )
  }

  requests(
    "a process reads the object of a tail once, however many epochs go by until there is another one"
  ) { storage =>
    val open  = begun(storage, 10000)
    val later = S3Settings(recent = RecentWrites.OfProcess)
    val costs = counted {
      (1 to 5).foldLeft(open) { (before, epoch) =>
        val store = storage.s3Store(later)
        write(store.resume(before, 10000L + (epoch - 1) * 10), 10).persist(inRecordBytes = 1000)
      }
    }
    assert(costs.removed(HeadObject) === Map(GetObject -> 1))
  }

  requests(
    "a tail that this process has written is not read again, by a task or by a publisher",
    S3Settings(recent = RecentWrites.OfProcess)
  ) { storage =>
    var open  = begun(storage, 10000)
    val costs = counted {
      for (epoch <- 1 to 3)
        open = write(storage.partStore().resume(open, epoch * 10000L), 10000).persist()
    }
    assert(costs === Map(PutObject -> 3))
    val closed = storage.partStore().closed(open, 40000)
    assert(
      counted(storage.partStore().publish(closed, 40000, "b/part-1.txt")) ===
        Map(HeadObject -> 1, UploadPart -> 1, CompleteMultipartUpload -> 1, DeleteObjects -> 1)
    )
    assert(storage.bytes("b/part-1.txt").length === 40000)
  }

  requests("a file of rows beside a part costs one PUT, and one GET where another process has written it") {
    storage =>
      val part                                = NewPart("b", "part-1.parquet", run)
      def spool(files: FileStore): SpoolFiles = new SpoolFiles(files, "main")
      val store                               = spool(storage.files())
      var file                                = SpoolFile("", 1000, 0)
      assert(
        counted { file = file.copy(token = store.write(part)(_.write(mib, 0, 1000))) } === Map(PutObject -> 1)
      )
      def content(store: SpoolFiles): Int = Using.resource(store.read(file))(_.readAllBytes().length)
      val read                            = counted(assert(content(store) === 1000))
      assert(read.removed(HeadObject) === Map(GetObject -> 1))
      assert(read.getOrElse(HeadObject, 0) <= 1)
      val same = spool(storage.recentFiles())
      file = file.copy(token = same.write(part)(_.write(mib, 0, 1000)))
      assert(counted(assert(content(same) === 1000)) === Map.empty)
      assert(counted(same.discard(Seq(file.token))) === Map(DeleteObject -> 1))
      assertThrows[StoplogException](content(same))
  }

  requests("a file that another process has deleted is not found, though this one has kept what it wrote") {
    storage =>
      val mine  = new SpoolFiles(storage.recentFiles(), "main")
      val token = mine.write(NewPart("b", "part-1.parquet", run))(_.write(mib, 0, 1000))
      val file  = SpoolFile(token, 1000, 0)
      assert(mine.find(file).map(Using.resource(_)(_.readAllBytes().length)) === Some(1000))
      new SpoolFiles(storage.files(), "main").discard(Seq(token))
      assert(mine.find(file) === None)
      assert(Using.resource(mine.read(file))(_.readAllBytes().length) === 1000)
  }

  requests("an epoch that fills parts costs those, and no more than one PUT beside them") { storage =>
    val open = begun(storage, 6 << 20)
    assert(
      counted(write(storage.partStore().resume(open, 6L << 20), 10 << 20).persist()).removed(HeadObject) ===
        Map(UploadPart -> 2, PutObject -> 1, GetObject -> 1)
    )
  }

  requests(
    "an upload has large parts if its first epoch brings one, and small ones else, all of one size",
    S3Settings(partBytes = 5 << 20, largePartBytes = 10 << 20)
  ) { storage =>
    def sizes(mibs: Int*): Vector[Long] = {
      var open  = Resume("")
      var bytes = 0L
      mibs.foreach { mib =>
        open =
          if (bytes == 0) begun(storage, mib << 20)
          else write(storage.partStore().resume(open, bytes), mib << 20).persist()
        bytes += mib.toLong << 20
      }
      storage.tokenOf(open).upload.toVector.flatMap(_.parts).map(_.bytes >> 20)
    }
    assert(sizes(4) === Vector())
    assert(sizes(9) === Vector(5))
    assert(sizes(9, 12) === Vector(5, 5, 5, 5))
    assert(sizes(4, 8) === Vector(10))
    assert(sizes(22) === Vector(10, 10))
    assert(sizes(22, 7, 3) === Vector(10, 10, 10))
  }

  requests(
    "a part of one epoch costs its upload: create, marker, parts, and a completion that moves no data"
  ) { storage =>
    var closed: Publish = Resume("")
    val writing         = counted {
      closed = write(storage.partStore().create(NewPart("b", "part-1.txt", run)), 12 << 20).finish()
    }
    assert(writing === Map(CreateMultipartUpload -> 1, PutObject -> 1, UploadPart -> 3))
    val publishing = counted(storage.partStore().publish(closed, 12L << 20, "b/part-1.txt"))
    assert(publishing === Map(HeadObject -> 1, CompleteMultipartUpload -> 1, DeleteObject -> 1))
  }

  requests("a small part of one epoch costs the same, in the task and in the driver, whatever its size") {
    storage =>
      for ((bytes, number) <- Seq(1, 2000, 1 << 20).zipWithIndex) {
        val name            = s"part-$number.txt"
        var closed: Publish = Resume("")
        val writing         = counted {
          closed = write(storage.partStore().create(NewPart("b", name, run)), bytes).finish()
        }
        assert(writing === Map(CreateMultipartUpload -> 1, PutObject -> 1, UploadPart -> 1))
        val publishing = counted(storage.partStore().publish(closed, bytes.toLong, s"b/$name"))
        assert(publishing === Map(HeadObject -> 1, CompleteMultipartUpload -> 1, DeleteObject -> 1))
      }
  }

  requests(
    "an open part that the driver closes as it stands costs an upload, and its tail when it is published"
  ) { storage =>
    val open            = begun(storage, 1000)
    var closed: Publish = open
    assert(
      counted { closed = storage.partStore().closed(open, 1000) } ===
        Map(CreateMultipartUpload -> 1, PutObject -> 1)
    )
    assert(
      counted(storage.partStore().publish(closed, 1000, "b/part-1.txt")) ===
        Map(HeadObject -> 1, UploadPart -> 1, CompleteMultipartUpload -> 1, DeleteObject -> 1)
    )
  }

  requests("fencing costs nothing, however many parts are open") { storage =>
    val open = begun(storage, 6 << 20)
    val all  =
      Vector.fill(1000)(Open("b", "part-1.txt", open, 6L << 20, PartRows(1, 0, 0), LastWriter(0, None)))
    assert(counted(storage.partStore().fence(run, all)) === Map.empty)
  }

  requests("a repeated attempt asks once whether the upload of its part is there, and a first one does not") {
    storage =>
      val open  = begun(storage, 6 << 20)
      val first = counted(storage.partStore().resume(open, 6L << 20).close())
      assert(first.get(CompleteMultipartUpload) === None)
      val again = NewPart("b", "part-1.txt", run)
      val costs = counted(storage.partStore().takeOver(open, 6L << 20, again).close())
      assert(costs.removed(HeadObject) === Map(CompleteMultipartUpload -> 1, GetObject -> 1))
      val small = begun(storage, 1000)
      assert(counted(storage.partStore().takeOver(small, 1000, again).close()) === Map.empty)
  }

  requests("a driver that ends parts itself asks once whether it is too late") { storage =>
    storage.logFiles().putIfAbsent(0, "0".getBytes)
    val costs = counted(assert(storage.logFiles().newerThan(0) === None))
    assert(costs === Map(ListObjectsV2 -> 1))
    assert(counted(assert(storage.logFiles().newerThan(-1) === Some(0))) === Map(ListObjectsV2 -> 1))
  }

  requests("an epoch of the driver costs one PUT of the record and one listing") { storage =>
    val log    = new CommitLog(storage.logFiles(), LogRules.standard.copy(records = 10))
    val driver = SinkDriver.ofParts(
      run,
      SinkIdentity(storage.root, "main", "query"),
      SinkSettings(Map.empty, "text"),
      SinkStores.of(log, storage.partStore(), new MemorySpoolFiles),
      () => Lines,
      DriverRules(SmallParts, MemoryNotes.unasked, ForeignQuery.Refuse, LostPart.Fail),
      DriverTools(
        new ManualClock(0),
        stoplog.fault.Faults.none,
        DriverLock.semaphore(),
        Parallel.sequential,
        StorageRetry.never
      )
    )
    def epoch(number: Long): Unit = {
      val plan   = driver.begin(number, slots = 1)
      val writer = TaskWriters.of(
        plan.forTask(0, Attempt.First),
        storage.partStore(),
        Lines,
        SmallParts,
        new ManualClock(0),
        new MemorySpoolFiles
      )
      writer.write("b", "row")
      driver.commit(number, Seq(writer.commit()))
    }
    epoch(0)
    assert(counted(epoch(1)) === Map(PutObject -> 1, ListObjectsV2 -> 1))
    (2L to 20L).foreach(epoch)
    assert(
      counted((21L to 30L).foreach(epoch)) ===
        Map(PutObject -> 10, ListObjectsV2 -> 10, DeleteObjects -> 1)
    )
  }
}

private object SmallParts extends stoplog.rolling.RollingPolicy {
  import stoplog.rolling.{PartStats, RollReason}
  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason]  = None
  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = None
}
