// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.util.concurrent.ConcurrentHashMap

/** The writes of one object that Amazon S3 carries out at once and S3Mock in several steps, one after the other:
  *
  *   - conditional writes: S3Mock looks for the object and then writes it, so that several that come together all
  *     succeed;
  *   - parts and completions of uploads: S3Mock empties a part's file before it writes the part anew, and a completion that
  *     comes in between makes an object of no bytes.
  */
private final class AtomicWrites {
  private val objects = new ConcurrentHashMap[String, AnyRef]()

  def inTurn[A](request: S3Request)(write: => A): A =
    if (request.method != "GET" && isInSteps(request))
      objects.computeIfAbsent(request.target.takeWhile(_ != '?'), _ => new Object).synchronized(write)
    else write

  private def isInSteps(request: S3Request): Boolean =
    request.headers.contains("if-none-match") || request.uploadId.isDefined
}
