// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.client

import java.util.{HashMap => JHashMap, Map => JMap}
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.producer.{Callback, ProducerConfig, RecordMetadata}
import org.apache.kafka.common.serialization.ByteArraySerializer

/** The settings of clients and producers. Serialized to the executors.
  *
  * @param client                   the client's settings, without the prefix `kafka.`
  * @param transactionTimeoutMillis the time after which the brokers abort an unfinished transaction, in
  *                                 milliseconds
  */
private[kafka] final case class ProducerSettings(
    client: Map[String, String],
    transactionTimeoutMillis: Long
) {
  import ProducerSettings._

  /** The brokers, for messages. */
  def servers: String = client.getOrElse(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "")

  /** Returns the settings of a producer without transactions. */
  def plain: JMap[String, Object] = asJava(client ++ bytes)

  /** Returns the settings of a transactional producer. Settings that could lose, duplicate or reorder records
    * are fixed.
    */
  def transactional(id: String): JMap[String, Object] = asJava(
    client ++ bytes ++ Map(
      ProducerConfig.TRANSACTIONAL_ID_CONFIG    -> id,
      ProducerConfig.TRANSACTION_TIMEOUT_CONFIG -> transactionTimeoutMillis.toString,
      ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG  -> "true",
      ProducerConfig.ACKS_CONFIG                -> "all"
    )
  )

  /** Returns the settings of a producer that sends nothing and only ends transactions of other producers. Its
    * first request must be sent twice, so the retry backoff is short.
    */
  def committing(id: String): JMap[String, Object] = {
    val settings = transactional(id)
    settings.putIfAbsent(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, "10")
    settings
  }

  /** Returns the settings supported by an administrative client. */
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

/** The first send failure of a producer, reported by the client in a separate thread.
  *
  * @param servers the brokers, for messages
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
