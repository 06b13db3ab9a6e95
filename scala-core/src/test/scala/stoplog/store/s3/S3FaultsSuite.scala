package stoplog.store.s3

import java.util.Arrays
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.servers.S3Server
import stoplog.log.{CommitLog, LogRecord, RecordKind, SinkState}
import stoplog.part.{Publish, RunId}
import stoplog.store.{NewPart, PublishOutcome}
import stoplog.store.s3.S3Proxy.Fault

/** Every request of a part's life, and of a record, fails once in every way. */
class S3FaultsSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val run     = RunId("11111111-1111-4111-8111-111111111111")
  private val content = new Array[Byte](6 << 20)
  new java.util.Random(5).nextBytes(content)

  private lazy val proxy = new S3Proxy(S3Server.sharedS3Mock.endpoint)

  override protected def afterAll(): Unit = proxy.close()

  private val faults = Vector(Fault.Status(503), Fault.Status(500), Fault.Reset, Fault.Lost)
  private val long   = sys.env.get("STOPLOG_LONG").exists(_.nonEmpty)

  /** Each request fails in one way, or with `STOPLOG_LONG` set in all of them. */
  test(
    "whatever happens to a request, the parts are there once and whole, and no upload is left that was answered"
  ) {
    val requests = life(_ => None)
    for {
      at    <- requests.indices
      fault <- if (long) faults else Vector(faults(at % faults.size))
    } {
      val asked = new AtomicInteger
      val seen  = life(_ => Option.when(asked.getAndIncrement() == at)(fault))
      assert(asked.get > at, s"request $at, $fault: $seen")
    }
  }

  /** What was asked of the server. */
  private def life(fault: S3Proxy.Request => Option[Fault]): Vector[String] = {
    val bucket  = S3Bucket(proxy.endpoint, "stoplog-faults")
    val storage = S3Storage.create(S3Settings(partBytes = S3Settings.MinPartBytes), bucket)
    val server  = storage.raw()
    try {
      proxy.taken()
      proxy.fault = fault
      val asked =
        try through(storage)
        finally proxy.fault = _ => None
      assert(storage.visible() === Set("b/large.txt", "b/small.txt"))
      assert(Arrays.equals(storage.bytes("b/large.txt"), content), asked)
      assert(Arrays.equals(storage.bytes("b/small.txt"), content.take(100000)), asked)
      assert(new CommitLog(storage.recordStore()).all().map(_.seq) === Vector(0), asked)
      // An upload whose creation was not answered is known to nobody: the bucket's lifecycle rule ends it.
      val unanswered = asked.count(_ == "CreateMultipartUpload") - 1
      assert(server.openUploads().size <= unanswered, asked)
      asked
    } finally {
      server.close()
      storage.close()
    }
  }

  private def through(storage: S3Storage): Vector[String] = {
    val large = written(storage, "large.txt", content.length)
    val small = written(storage, "small.txt", 100000)
    val state = SinkState("query", Some(0), Vector.empty, 2, Map.empty)
    val log   = new CommitLog(storage.recordStore())
    assert(log.append(LogRecord(0, RecordKind.Epoch(0), run, 0, Vector.empty, state)) === CommitLog.Decided)
    for ((handle, size, path) <- Seq((large, content.length, "b/large.txt"), (small, 100000, "b/small.txt")))
      assert(storage.partStore().publish(handle, size.toLong, path) !== PublishOutcome.Lost)
    proxy.taken().map(_.operation)
  }

  /** In two epochs. */
  private def written(storage: S3Storage, name: String, bytes: Int): Publish = {
    val first = storage.partStore().create(NewPart("b", name, run))
    first.write(content, 0, bytes * 2 / 3)
    val open = first.persist()
    val next = storage.partStore().resume(open, bytes * 2L / 3)
    next.write(content, bytes * 2 / 3, bytes - bytes * 2 / 3)
    next.finish()
  }
}
