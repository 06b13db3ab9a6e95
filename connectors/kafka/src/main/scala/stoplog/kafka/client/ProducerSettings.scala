// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.client

import java.util.{HashMap => JHashMap, Map => JMap}
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.producer.{Callback, ProducerConfig, RecordMetadata}
import org.apache.kafka.common.serialization.ByteArraySerializer

/** The settings of clients and producers. Goes to the executors.
  *
  * @param client                   the client's own settings, without the prefix `kafka.`
  * @param transactionTimeoutMillis after which the brokers abort a transaction that has not ended
  */
private[kafka] final case class ProducerSettings(
    client: Map[String, String],
    transactionTimeoutMillis: Long
) {
  import ProducerSettings._

  /** For messages. */
  def servers: String = client.getOrElse(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "")

  /** Of a producer that takes part in no transaction. */
  def plain: JMap[String, Object] = asJava(client ++ bytes)

  /** Of a producer of transactions: what could lose, double or reorder records is fixed. */
  def transactional(id: String): JMap[String, Object] = asJava(
    client ++ bytes ++ Map(
      ProducerConfig.TRANSACTIONAL_ID_CONFIG    -> id,
      ProducerConfig.TRANSACTION_TIMEOUT_CONFIG -> transactionTimeoutMillis.toString,
      ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG  -> "true",
      ProducerConfig.ACKS_CONFIG                -> "all"
    )
  )

  /** Of a producer that sends nothing, and ends the transactions of others. What it asks first it has to ask twice, and
    * waits in between.
    */
  def committing(id: String): JMap[String, Object] = {
    val settings = transactional(id)
    settings.putIfAbsent(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, "10")
    settings
  }

  /** The settings that an administrative client knows. */
  def admin: JMap[String, Object] = {
    val producersAlone =
      ProducerConfig.configNames().asScala.toSet.diff(AdminClientConfig.configNames().asScala.toSet)
    asJava(client -- producersAlone)
  }
}

private[kafka] object ProducerSettings {

  private val bytes = {
    val serializer = classOf[ByteArraySerializer].getName
    Map(
      ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG   -> serializer,
      ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG -> serializer
    )
  }

  private def asJava(settings: Map[String, String]): JMap[String, Object] =
    new JHashMap[String, Object](settings.asJava)
}

/** The first failure of the records that a producer sends, of which the client tells in a thread of its own.
  *
  * @param servers for messages
  */
private[kafka] final class FirstFailure(servers: String) extends Callback {
  private val failure = new AtomicReference[Exception]()

  override def onCompletion(metadata: RecordMetadata, e: Exception): Unit =
    if (e != null) {
      failure.compareAndSet(null, e)
      ()
    }

  /** Error: `STOPLOG_KAFKA_WRITE`. */
  def throwIfAny(): Unit = Option(failure.get).foreach(e => throw KafkaErrors.write(servers, e))
}
