// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.client

import scala.util.Try

/** An open transaction, with all data that another process needs for the commit.
  *
  * @param id            the transactional id
  * @param producerId    the producer id assigned by the brokers
  * @param epoch         the epoch of the producer: the brokers fence this producer if a later epoch exists
  * @param begunAtMillis the start of the transaction's timeout, in milliseconds since 1970
  * @param batch         the micro-batch of the transaction; `None` in a batch query
  */
private[kafka] final case class OpenTransaction(
    id: String,
    producerId: Long,
    epoch: Short,
    begunAtMillis: Long,
    batch: Option[Long]
) {

  /** The representation in the commit log, parsed by [[OpenTransaction.parse]]. */
  def token: String = s"$producerId:$epoch:$begunAtMillis:${batch.fold("")(_.toString)}:$id"

  override def toString: String = s"$id (producer $producerId, epoch $epoch)"
}

private[kafka] object OpenTransaction {

  /** Throws `IllegalArgumentException` for an invalid token. */
  def parse(token: String): OpenTransaction = token.split(":", 5) match {
    case Array(producerId, epoch, begunAtMillis, batch, id) if id.nonEmpty =>
      Try(
        OpenTransaction(
          id,
          producerId.toLong,
          epoch.toShort,
          begunAtMillis.toLong,
          Option.when(batch.nonEmpty)(batch.toLong)
        )
      ).getOrElse(unreadable(token))
    case _ => unreadable(token)
  }

  /** Returns the transactional id in a token, or the string itself: of dead runs, only the id is known. */
  def idOf(token: String): String = if (token.contains(':')) parse(token).id else token

  private def unreadable(token: String): Nothing =
    throw new IllegalArgumentException(s"'$token' does not identify a transaction")
}
