// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.util.Arrays
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.matrix.Cells
import stoplog.error.StoplogException
import stoplog.log.{CommitLog, LogRecord, QueryEpoch, RecordKind, SinkState}
import stoplog.part.{Publish, RunId}
import stoplog.servers.{Fault, FaultProxy, FaultRule, S3Call, S3Request, S3Server}
import stoplog.sink.CommitOutcome
import stoplog.storage.{MoveOutcome, NewPart}

/** Every request of a part's life, and of a record, fails once in every way. */
class S3FaultsSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val run     = RunId("11111111-1111-4111-8111-111111111111")
  private val content = new Array[Byte](6 << 20)
  new java.util.Random(5).nextBytes(content)

  private lazy val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)

  override protected def afterAll(): Unit = proxy.close()

  private val Deletes = Set[S3Call](S3Call.DeleteObject, S3Call.DeleteObjects)

  private val faults = Vector(Fault.SlowDown, Fault.InternalError, Fault.ResetBefore, Fault.AnswerLost)
  private val long   = Cells.inLongRun

  /** Each request fails in one way, every seventh of a life; or with `STOPLOG_LONG` set in all ways, one in a life. */
  test("any failed request leaves parts complete and unique, and no orphaned uploads") {
    val requests = life()
    val apart    = if (long) requests.size else 7
    for {
      first <- 0 until apart
      turn  <- if (long) faults.indices else Seq(first)
    } {
      val asked = new AtomicInteger
      val seen  = life { (_, _, _) =>
        val at = asked.getAndIncrement()
        Option.when(at % apart == first)(faults((at / apart + turn) % faults.size))
      }
      assert(asked.get > first, s"request $first, ${faults(turn % faults.size)}: $seen")
    }
  }

  test("a conflict response is retried until a definite response") {
    proxy.inject()
    val storage = S3UnderTest.create(S3Settings(), S3Bucket(proxy.endpoint, "stoplog-faults"))
    val log     = new CommitLog(storage.logFiles())
    try {
      val part = written(storage, "small.txt", 1000)
      proxy.inject(FaultRule.nth(S3Call.CompleteMultipartUpload, 1, Fault.Conflict))
      assert(storage.partStore().publish(part, 1000, "b/small.txt") === CommitOutcome.Committed)
      assert(storage.partStore().publish(part, 1000, "b/small.txt") === CommitOutcome.AlreadyCommitted)
      proxy.inject(FaultRule.nth(S3Call.PutObject, 1, Fault.Conflict))
      assert(log.append(record(epoch = 0)) === CommitLog.Decided)
      proxy.inject(FaultRule.nth(S3Call.PutObject, 1, Fault.Conflict))
      assert(log.append(record(epoch = 7)) === CommitLog.Overtaken(run.value))
      assert(proxy.counts(S3Call.PutObject) === 2)
      proxy.inject(FaultRule.always(S3Call.PutObject, Fault.Conflict))
      val refused = intercept[StoplogException](storage.logFiles().putIfAbsent(1, Array[Byte](1)))
      assert(refused.getCondition === "STOPLOG_STORE_WRITE")
      assert(proxy.counts(S3Call.PutObject) === 1 + S3Bucket.Retries)
    } finally {
      proxy.inject()
      storage.close()
    }
  }

  test("a move finds no source if another process deletes it during the read, for each answer to the read") {
    for (answer <- Seq(Fault.Answered(416, "Range Not Satisfiable", "InvalidRange"), Fault.NoSuchUpload)) {
      val storage = S3UnderTest.create(S3Settings(), S3Bucket(proxy.endpoint, "stoplog-faults"))
      val other   = storage.through(S3Bucket(S3Server.sharedS3Mock.endpoint, "stoplog-faults"))
      try {
        storage.plant("b/part-1.txt", content.take(4))
        proxy.inject { (request, _, _) =>
          Option.when(request.call == S3Call.GetObject) {
            other.objects.delete(Seq("b/part-1.txt"))
            answer
          }
        }
        assert(storage.files().move("b/part-1.txt", "b/part-2.txt") === MoveOutcome.SourceGone)
      } finally {
        proxy.inject()
        storage.close()
      }
    }
  }

  test("a file cannot be hidden if the right to delete is missing, and any other answer is an error") {
    val storage = S3UnderTest.create(S3Settings(), S3Bucket(proxy.endpoint, "stoplog-faults"))
    def unmovable(answer: Fault) = {
      proxy.inject((request, _, _) => Option.when(Deletes(request.call))(answer))
      storage.files().unmovable(Seq("a", "b"), "hidden/file")
    }
    try {
      assert(unmovable(Fault.Answered(403, "Forbidden", "AccessDenied")) === Some("a"))
      val failed =
        intercept[StoplogException](unmovable(Fault.Answered(400, "Bad Request", "InvalidRequest")))
      assert(failed.getCondition === "STOPLOG_STORE_WRITE")
      proxy.inject()
      assert(storage.files().unmovable(Seq("a", "b"), "hidden/file") === None)
    } finally {
      proxy.inject()
      storage.close()
    }
  }

  test("the directory without the right to delete is named, not the first directory") {
    val deletes = Map("fs.s3a.multiobjectdelete.enable" -> "false") // so that the proxy sees each key
    val bucket  = S3Bucket(proxy.endpoint, "stoplog-single-deletes", deletes)
    val storage = S3UnderTest.create(S3Settings(), bucket)
    try {
      proxy.inject { (request, _, _) =>
        val isDenied = Deletes(request.call) && request.target.contains("/a/b/.")
        Option.when(isDenied)(Fault.Answered(403, "Forbidden", "AccessDenied"))
      }
      for (directories <- Seq(Seq("a", "b", "a/b", "c"), Seq("", "a/b"), Seq("a/b")))
        assert(storage.files().unmovable(directories, "hidden/file") === Some("a/b"))
      assert(storage.files().unmovable(Seq("", "a", "b"), "hidden/file") === None)
    } finally {
      proxy.inject()
      storage.close()
    }
  }

  test("a writer aborts an upload that could not be marked") {
    val storage = S3UnderTest.create(
      S3Settings(partBytes = S3Settings.MinPartBytes, largePartBytes = S3Settings.MinPartBytes),
      S3Bucket(proxy.endpoint, "stoplog-faults")
    )
    val server = storage.raw()
    try {
      proxy.inject((request, _, _) => Option.when(request.target.endsWith(".upload"))(Fault.InternalError))
      val output = storage.partStore().create(NewPart("b", "part-1.txt", run))
      output.write(content, 0, content.length)
      assert(intercept[StoplogException](output.persist()).getCondition === "STOPLOG_STORE_WRITE")
      assert(server.openUploads() === Vector("b/part-1.txt"))
      output.close()
      assert(server.openUploads() === Vector.empty)
    } finally {
      proxy.inject()
      server.close()
      storage.close()
    }
  }

  /** What was asked of the server. */
  private def life(rules: FaultRule*): Seq[S3Request] = {
    val bucket  = S3Bucket(proxy.endpoint, "stoplog-faults")
    val storage = S3UnderTest.create(
      S3Settings(partBytes = S3Settings.MinPartBytes, largePartBytes = S3Settings.MinPartBytes),
      bucket
    )
    val server = storage.raw()
    try {
      proxy.inject(rules: _*)
      val asked =
        try through(storage)
        finally proxy.inject()
      assert(storage.visible() === Set("b/large.txt", "b/small.txt"))
      assert(Arrays.equals(storage.bytes("b/large.txt"), content), asked)
      assert(Arrays.equals(storage.bytes("b/small.txt"), content.take(100000)), asked)
      assert(new CommitLog(storage.logFiles()).all().map(_.seq) === Vector(0), asked)
      // An upload whose creation was not answered is known to nobody: the bucket's lifecycle rule ends it.
      val unanswered = asked.count(_.call == S3Call.CreateMultipartUpload) - 2
      assert(server.openUploads().size <= unanswered, asked)
      asked
    } finally {
      server.close()
      storage.close()
    }
  }

  private def through(storage: S3UnderTest): Seq[S3Request] = {
    val large = written(storage, "large.txt", content.length)
    val small = written(storage, "small.txt", 100000)
    val log   = new CommitLog(storage.logFiles())
    assert(log.append(record(epoch = 0)) === CommitLog.Decided)
    for ((handle, size, path) <- Seq((large, content.length, "b/large.txt"), (small, 100000, "b/small.txt")))
      assert(storage.partStore().publish(handle, size.toLong, path) !== CommitOutcome.Lost)
    proxy.requests
  }

  private def record(epoch: Long): LogRecord = LogRecord(
    0,
    RecordKind.Epoch(epoch),
    run,
    0,
    Vector.empty,
    SinkState(QueryEpoch("query", Some(epoch)), Vector.empty, 2, Map.empty)
  )

  /** In two epochs. */
  private def written(storage: S3UnderTest, name: String, bytes: Int): Publish = {
    val first = storage.partStore().create(NewPart("b", name, run))
    first.write(content, 0, bytes * 2 / 3)
    val open = first.persist()
    val next = storage.partStore().resume(open, bytes * 2L / 3)
    next.write(content, bytes * 2 / 3, bytes - bytes * 2 / 3)
    next.finish()
  }
}
