// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}

import scala.jdk.CollectionConverters._

/** What happened since the rules were set. */
private final class FaultProxyState(rules: Seq[FaultRule]) {
  private val occurrences = new ConcurrentHashMap[S3Call, AtomicInteger]()
  private val completed   = ConcurrentHashMap.newKeySet[String]()
  private val asked       = new ConcurrentLinkedQueue[S3Request]()
  private val happened    = new ConcurrentLinkedQueue[(S3Call, Fault)]()

  def requests: Seq[S3Request] = asked.asScala.toSeq

  def faults: Seq[(S3Call, Fault)] = happened.asScala.toSeq

  /** Counts the request, and tells what goes wrong with it. */
  def faultOf(request: S3Request): Option[Fault] = {
    asked.add(request)
    val occurrence = occurrences.computeIfAbsent(request.call, _ => new AtomicInteger).incrementAndGet()
    val fault      = rules.iterator.flatMap(_.faultOf(request, occurrence, completed.contains)).nextOption()
    fault.foreach(fault => happened.add(request.call -> fault))
    fault
  }

  def answered(request: S3Request, status: Int): Unit =
    if (request.call == S3Call.CompleteMultipartUpload && status == 200)
      request.uploadId.foreach(completed.add)
}
