// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.time.Duration

import org.apache.hadoop.fs.s3a.impl.AWSClientConfig
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.fault.Faults
import stoplog.servers.{Fault, FaultProxy, FaultRule, S3Call, S3Server}

/** Requests of a query fail: each row once, nothing else visible, and no upload is left that anybody knows of. */
class S3FaultMatrixSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val long        = Cells.inLongRun
  private lazy val server = S3Server.sharedS3Mock

  private lazy val proxy = FaultProxy.before(server.endpoint)

  // In the last query.
  private var asked = Map.empty[S3Call, Int]

  // S3A takes less than its least of 15 s for a mistake otherwise.
  override protected def beforeAll(): Unit = AWSClientConfig.setMinimumOperationDuration(Duration.ZERO)

  override protected def afterAll(): Unit = {
    AWSClientConfig.resetMinimumOperationDuration()
    proxy.close()
  }

  private val faults =
    Seq(Fault.SlowDown, Fault.InternalError, Fault.ResetBefore, Fault.AnswerLost, Fault.NoAnswer)

  // `S3FaultsSuite` tries each fault at each request of a part's life. Where no answer comes, the client waits until its
  // time is up, for each call.
  for (fault <- faults if long)
    test(s"a query survives $fault at the first request of each call") {
      assert(query(patience(fault), FaultRule.firstOfEachCall(fault)).map(_._1).toSet.size >= 8)
    }

  // Of an answer that is lost, who asks again has most to make sense of.
  test("a query survives lost responses to completions that the server then denies", LongRun.Only) {
    val lost = firstAttemptsAt(S3Call.CompleteMultipartUpload, Fault.AnswerLost)
    assert(
      query(Patient, lost, FaultRule.forgetsCompletedUploads).map(_._2).toSet === Set(
        Fault.AnswerLost,
        Fault.NoSuchUpload
      )
    )
  }

  if (long) test("a query survives lost responses to all requests for small objects") {
    assert(query(Patient, firstAttemptsAt(S3Call.PutObject, Fault.AnswerLost)).nonEmpty)
  }

  for (seed <- if (long) 1 to 20 else Seq.empty)
    test(s"a query survives random failures of five percent of requests: seed $seed") {
      assert(query(patience(Fault.NoAnswer), FaultRule.random(seed, 0.05, faults)).nonEmpty)
    }

  if (long)
    for (fault <- faults)
      test(s"a query survives $fault at the middle and last request of each call") {
        query(Patient)
        for {
          (call, count) <- asked
          n             <- Seq((count + 1) / 2, count).distinct
        } query(patience(fault), FaultRule.nth(call, n, fault))
      }

  /** A query under these rules, started again whenever it has failed. Answers what happened to its requests. */
  private def query(patience: Map[String, String], rules: FaultRule*): Seq[(S3Call, Fault)] = {
    val place = S3Place.through(server, proxy.endpoint, Content.Heavy, patience)
    val clock = Crash.clock()
    try {
      proxy.inject()
      place.leaveOrphans(2)
      proxy.inject(rules: _*)
      val failures = Restarts.problems(place, clock, Faults.none)
      val faulted  = proxy.faults
      asked = proxy.counts
      proxy.inject()
      val problems = failures ++ Oracle.problems(place, JobRows.Epochs) ++ CleanupCheck.problems(place, clock)
      val (uploads, others) = problems.partition(_.startsWith("the upload"))
      assert(others === Vector.empty, faulted)
      assert(uploads.size <= faulted.count(_ == unanswered), faulted)
      faulted
    } finally place.remove()
  }

  private val Patient = Map.empty[String, String]

  /** Where no answer comes, the client must give up; elsewhere it would give up a server that is merely busy. */
  private def patience(fault: Fault): Map[String, String] =
    if (fault == Fault.NoAnswer) Map("fs.s3a.connection.timeout" -> "2s") else Patient

  /** Of this upload nobody knows, so only a lifecycle rule of the bucket can end it. */
  private val unanswered = S3Call.CreateMultipartUpload -> Fault.AnswerLost

  private def firstAttemptsAt(call: S3Call, fault: Fault): FaultRule = {
    val first = FaultRule.firstAttempts(fault)
    (request, occurrence, completed) =>
      Option.when(request.call == call)(()).flatMap(_ => first.faultOf(request, occurrence, completed))
  }
}
