// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.BatchDigest

/** The digests of a query's micro-batches, as its checkpoint has them now. */
trait BatchDigests {

  /** `None` where nothing can tell. */
  def of(batch: Long): Option[BatchDigest]
}

object BatchDigests {

  /** Of an engine that does not tell. */
  val unknown: BatchDigests = _ => None
}

/** The batch that a run is to begin, which is looked up at once, before anybody may change the checkpoint; and the one before
  * it, when it is asked for.
  */
private[stoplog] final class Planned(val batch: Long, digests: BatchDigests) {
  val digest: Option[BatchDigest]      = digests.of(batch)
  lazy val before: Option[BatchDigest] = if (batch == 0) None else digests.of(batch - 1)
}
