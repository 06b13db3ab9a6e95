// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID
import java.util.concurrent.atomic.AtomicLong
import java.util.zip.CRC32

import stoplog.part.RunId

/** The transactional ids of one sink: `<prefix>-<log>-<sinkId>-<run>-<process>-<number>`.
  *
  * An id belongs to one producer in one process, which uses it in one epoch after the other: a broker remembers each id
  * for seven days, so there cannot be one for each task of each epoch. Nobody else begins a transaction under it, because
  * that aborts what is open.
  *
  * @param prefix that the user chose, for the access rules of the brokers
  * @param log    where the sink's commit log is: sinks with one id in different logs know nothing of each other
  */
private[kafka] final case class TransactionalIds(prefix: String, log: String, sinkId: String) {

  /** One that nobody has ever had. */
  def next(run: RunId): String =
    s"$begin${run.uid}-${TransactionalIds.process}-${TransactionalIds.numbers.incrementAndGet()}"

  /** Whether an id is one of the sink. Another sink's may go on with what looks like a run. */
  def isOfSink(id: String): Boolean =
    id.startsWith(begin) && TransactionalIds.Rest.matches(id.drop(begin.length))

  // A checksum is enough: it tells apart the few logs that one prefix is used with.
  private def begin: String = {
    val sum = new CRC32
    sum.update(log.stripSuffix("/").getBytes(UTF_8))
    f"$prefix-${sum.getValue}%08x-$sinkId-"
  }
}

private[kafka] object TransactionalIds {
  private val process = UUID.randomUUID().toString.take(8)
  private val numbers = new AtomicLong()

  private val Rest = "[0-9A-Za-z]{1,12}-[0-9a-f]{8}-[0-9]+".r
}
