// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.client

import scala.util.Try

/** A transaction that is open at the brokers, and all that another process needs to commit it.
  *
  * @param id            its transactional id
  * @param producerId    that the brokers gave to the producer
  * @param epoch         of that producer: with a later one, the brokers keep this one out
  * @param begunAtMillis when its time began to run
  * @param batch         the micro-batch that it belongs to; `None` in a batch query
  */
private[kafka] final case class OpenTransaction(
    id: String,
    producerId: Long,
    epoch: Short,
    begunAtMillis: Long,
    batch: Option[Long]
) {

  /** As it goes into the commit log; [[OpenTransaction.parse]] reads it. */
  def token: String = s"$producerId:$epoch:$begunAtMillis:${batch.fold("")(_.toString)}:$id"

  override def toString: String = s"$id (producer $producerId, epoch $epoch)"
}

private[kafka] object OpenTransaction {

  /** Error: `IllegalArgumentException` for what is no token. */
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

  /** The transactional id in a token, or the one that is all of it: of transactions that a dead run has left, only the id is
    * known.
    */
  def idOf(token: String): String = if (token.contains(':')) parse(token).id else token

  private def unreadable(token: String): Nothing =
    throw new IllegalArgumentException(s"'$token' does not say which transaction it stands for")
}
