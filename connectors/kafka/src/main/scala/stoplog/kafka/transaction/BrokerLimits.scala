// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.time.Duration
import java.util.{List => JList}
import java.util.concurrent.{ExecutionException, TimeUnit, TimeoutException}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.Admin
import org.apache.kafka.clients.producer.ProducerConfig
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.config.ConfigResource
import org.apache.kafka.common.errors.{AuthorizationException, UnsupportedVersionException}

import stoplog.error.Log
import stoplog.kafka.client.{KafkaErrors, ProducerSettings}

/** The limits of the brokers, checked before anything is written. */
private[kafka] object BrokerLimits {

  /** Errors: `STOPLOG_INVALID_OPTIONS`; `STOPLOG_UNREACHABLE` if no broker responds. */
  def check(settings: ProducerSettings): Unit =
    maxTransactionTimeoutMillis(settings).filter(_ < settings.transactionTimeoutMillis).foreach { allowed =>
      throw KafkaErrors.transactionTimeout(settings.transactionTimeoutMillis, allowed, settings.servers)
    }

  /** Returns `None` if only administrators may read the limit. The brokers then reject a producer whose
    * timeout exceeds the limit.
    */
  private def maxTransactionTimeoutMillis(settings: ProducerSettings): Option[Long] = {
    val admin  = client(settings)
    val millis = answerMillis(settings)
    try {
      val broker   = admin.describeCluster().nodes().get(millis, TimeUnit.MILLISECONDS).asScala.head
      val resource = new ConfigResource(ConfigResource.Type.BROKER, broker.idString)
      val config   =
        admin.describeConfigs(JList.of(resource)).all().get(millis, TimeUnit.MILLISECONDS).get(resource)
      Option(config.get("transaction.max.timeout.ms"))
        .flatMap(entry => Option(entry.value))
        .flatMap(_.toLongOption)
    } catch {
      case e: ExecutionException =>
        e.getCause match {
          case refused @ (_: AuthorizationException | _: UnsupportedVersionException) =>
            Log.info("The brokers do not report their transaction.max.timeout.ms", refused)
            None
          case other => throw KafkaErrors.noAnswer("their settings", settings.servers, other)
        }
      case _: TimeoutException =>
        val late = new TimeoutException(s"no response within $millis ms")
        throw KafkaErrors.noAnswer("their settings", settings.servers, late)
    } finally admin.close(Duration.ZERO)
  }

  /** Creates the client. Kafka throws for invalid settings and for names of unknown hosts. */
  private def client(settings: ProducerSettings): Admin =
    try Admin.create(settings.admin)
    catch {
      case e: KafkaException => throw KafkaErrors.noAnswer("their settings", settings.servers, e)
    }

  /** Returns the timeout for requests: `max.block.ms`, as for a producer, but at most 30 s. */
  private[transaction] def answerMillis(settings: ProducerSettings): Long =
    settings.client
      .get(ProducerConfig.MAX_BLOCK_MS_CONFIG)
      .flatMap(_.trim.toLongOption)
      .fold(MostMillis)(_.min(MostMillis))

  private val MostMillis = 30000L
}
