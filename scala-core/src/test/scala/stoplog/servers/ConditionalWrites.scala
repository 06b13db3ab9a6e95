// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.util.concurrent.ConcurrentHashMap

/** Conditional writes of one object, one after the other. Amazon S3 lets one of many succeed; S3Mock looks for the object
  * and then writes it, so that several that come at once all do.
  */
private final class ConditionalWrites {
  private val objects = new ConcurrentHashMap[String, AnyRef]()

  def inTurn[A](request: S3Request)(write: => A): A =
    if (request.method != "GET" && request.headers.contains("if-none-match"))
      objects.computeIfAbsent(request.target.takeWhile(_ != '?'), _ => new Object).synchronized(write)
    else write
}
