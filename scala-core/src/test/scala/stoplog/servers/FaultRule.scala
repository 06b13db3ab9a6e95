// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.util.concurrent.ConcurrentHashMap

import scala.util.hashing.MurmurHash3

/** Decides for each request whether something goes wrong with it. */
trait FaultRule {

  /** @param occurrence how many requests for the same call there have been since the rules were set, this one included
    * @param completed the uploads that the server has completed
    */
  def faultOf(request: S3Request, occurrence: Int, completed: String => Boolean): Option[Fault]
}

object FaultRule {

  /** With the n-th request for this call, counted from 1. */
  def nth(call: S3Call, n: Int, fault: Fault): FaultRule =
    (request, occurrence, _) => Option.when(request.call == call && occurrence == n)(fault)

  /** With each request for this call. */
  def always(call: S3Call, fault: Fault): FaultRule =
    (request, _, _) => Option.when(request.call == call)(fault)

  /** With the first request for every call. */
  def firstOfEachCall(fault: Fault): FaultRule = (_, occurrence, _) => Option.when(occurrence == 1)(fault)

  /** With the first attempt of everything: a request with the same method, path and query passes. */
  def firstAttempts(fault: Fault): FaultRule = {
    val seen = ConcurrentHashMap.newKeySet[String]()
    (request, _, _) => Option.when(seen.add(s"${request.method} ${request.target}"))(fault)
  }

  /** With a part of the requests, each time the same for the same seed, call and occurrence. */
  def random(seed: Int, probability: Double, faults: Seq[Fault]): FaultRule =
    (request, occurrence, _) => {
      val random = new scala.util.Random(MurmurHash3.stringHash(s"${request.call} $occurrence", seed))
      Option.when(random.nextDouble() < probability)(faults(random.nextInt(faults.size)))
    }

  /** A server that forgets an upload as soon as it is complete, as MinIO does and AWS may. */
  val forgetsCompletedUploads: FaultRule = (request, _, completed) =>
    Option.when(request.call == S3Call.CompleteMultipartUpload && request.uploadId.exists(completed))(
      Fault.NoSuchUpload
    )
}
