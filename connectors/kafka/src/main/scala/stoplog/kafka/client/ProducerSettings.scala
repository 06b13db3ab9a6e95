// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.client

import java.time.Duration
import java.util.{HashMap => JHashMap, Map => JMap}
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.producer.{Callback, KafkaProducer, ProducerConfig, RecordMetadata}
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.serialization.ByteArraySerializer

import stoplog.error.{Causes, Errors, Redaction, StoplogException}
import stoplog.options.TimeSpan
import stoplog.thread.{Clock, StopSignal, Stopwatch}

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
    * are fixed. The first requests of such a producer must be sent twice, so the first retry follows soon.
    * Batches are larger than those of Kafka's default, 16 KiB: readers see no record before the commit.
    */
  def transactional(id: String): JMap[String, Object] = {
    val settings = asJava(
      client ++ bytes ++ Map(
        ProducerConfig.TRANSACTIONAL_ID_CONFIG    -> id,
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG -> transactionTimeoutMillis.toString,
        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG  -> "true",
        ProducerConfig.ACKS_CONFIG                -> "all"
      )
    )
    settings.putIfAbsent(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, "10")
    settings.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, BatchBytes.toString)
    settings
  }

  /** Creates a producer. Error: `STOPLOG_REQUEST_FAILED` if the client rejects a setting, or knows no broker.
    */
  def newProducer(of: JMap[String, Object]): KafkaProducer[Array[Byte], Array[Byte]] =
    try new KafkaProducer(of)
    catch { case e: KafkaException => throw KafkaErrors.write(servers, e) }

  /** Waits until the brokers have acknowledged all records of the producer, or have rejected some of them.
    *
    * The client checks the time limit of records only between its requests about a transaction. If the topic
    * was deleted, or no coordinator is available, the client repeats such a request without a limit
    * (KAFKA-20077).
    *
    * Error: `TimeoutException` if the time limit is over
    */
  def flush(producer: KafkaProducer[_, _], clock: Clock): Unit = {
    val limitMillis = client
      .get(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)
      .flatMap(_.trim.toLongOption)
      .getOrElse(DeliveryMillis) + MarginMillis
    val watch = new Stopwatch(clock)
    val late  = new StopSignal {
      override def isStopped: Boolean = watch.millis > limitMillis
    }
    try StopSignal.interrupting(late)(producer.flush())
    catch {
      case _: InterruptedException if late.isStopped =>
        throw new TimeoutException(
          s"not all records were acknowledged within ${TimeSpan.render(limitMillis)}; the topic may be " +
            "deleted, or the coordinator of transactions unavailable"
        )
    }
  }

  /** Lets the client check its settings, at the start of a query. The client contacts no broker.
    *
    * Error: `STOPLOG_INVALID_OPTIONS` with the client's own words
    *
    * @param all the settings of [[plain]] or [[transactional]]
    */
  def refuseInvalid(all: JMap[String, Object]): Unit =
    try new KafkaProducer[Array[Byte], Array[Byte]](all).close(Duration.ZERO)
    catch {
      case e: KafkaException =>
        // The client wraps the cause, such as a missing file, several times.
        val why = Causes.of(e).flatMap(cause => Option(cause.getMessage)).distinct.mkString(": ")
        if (!why.contains(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG))
          throw Errors.invalidOptions(
            Seq(
              s"Kafka's producer rejects an option kafka.<setting>: ${Redaction.text(why).stripSuffix(".")}."
            )
          )
    }

  /** Returns the settings supported by an administrative client. */
  def admin: JMap[String, Object] = {
    val producersAlone =
      ProducerConfig.configNames().asScala.toSet.diff(AdminClientConfig.configNames().asScala.toSet)
    asJava(limited(client) -- producersAlone)
  }
}

private[kafka] object ProducerSettings {

  /** Adds a limit of 30 s for each administrative request, half of the client's own. A user's limit of single
    * attempts stays without this limit, which must not be shorter.
    */
  def limited(client: Map[String, String]): Map[String, String] =
    if (client.contains(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG)) client
    else Map(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG -> "30000") ++ client

  private val BatchBytes = 64 << 10

  // The client's default, and the time for the responses to its last requests.
  private final val DeliveryMillis = 120000L
  private final val MarginMillis   = 30000L

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
  * @param named returns the error for a failure
  */
private[kafka] final class FirstFailure(named: Throwable => StoplogException) extends Callback {
  private val failure = new AtomicReference[Exception]()

  override def onCompletion(metadata: RecordMetadata, e: Exception): Unit =
    if (e != null) {
      failure.compareAndSet(null, e)
      ()
    }

  def throwIfAny(): Unit = Option(failure.get).foreach(e => throw named(e))
}
