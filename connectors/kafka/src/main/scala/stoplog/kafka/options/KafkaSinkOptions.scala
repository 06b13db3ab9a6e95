// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.options

import java.util.{Locale, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.producer.{Partitioner, ProducerConfig}

import stoplog.kafka.client.ProducerSettings
import stoplog.kafka.options.{KafkaSinkOptionRegistry => Registry}
import stoplog.options.{LogOptions, OptionReader}

/** The options of one sink, all of them checked.
  *
  * @param topic of all rows; `None` where a column says it
  * @param log   of the commits; what is lost of it is a transaction here
  */
private[kafka] final case class KafkaSinkOptions(
    topic: Option[String],
    delivery: Delivery,
    producer: ProducerSettings,
    transactionalIdPrefix: String,
    log: LogOptions,
    asked: Map[String, String]
) {

  /** The options that make this sink again, as they were set. */
  def toMap: Map[String, String] = asked
}

private[kafka] object KafkaSinkOptions {

  /** Error: `STOPLOG_INVALID_OPTIONS` with all that is wrong. */
  def parse(options: JMap[String, String]): KafkaSinkOptions = {
    val asked    = new OptionReader(options.asScala.toSeq, Registry.all)
    val delivery = asked(Registry.DeliveryMode)
    val client   = KafkaClientOptions.parse(asked, delivery)
    val parsed   = KafkaSinkOptions(
      asked.text(Registry.Topic).map(_.trim),
      delivery,
      ProducerSettings(
        client ++ partitioner(asked).map(ProducerConfig.PARTITIONER_CLASS_CONFIG -> _),
        asked(Registry.TransactionTimeout)
      ),
      asked(Registry.TransactionalIdPrefix),
      LogOptions(
        asked.text(Registry.LogLocation).orElse(checkpoint(options)),
        asked(Registry.SinkId),
        asked(Registry.OnForeignQuery),
        asked(Registry.OnLostTransaction)
      ),
      asked.registeredValues ++ asked.others.filter { case (key, _) => KafkaClientOptions.isClients(key) }
    )
    if (delivery != Delivery.ExactlyOnce)
      asked.withoutEffect(Registry.ofTransactions, s"with ${Registry.DeliveryMode.key} = ${delivery.word}")
    asked.errors.throwIfAny()
    parsed
  }

  /** Its class must be there now, though it is needed on the executors only. */
  private def partitioner(asked: OptionReader): Option[String] =
    asked.text(Registry.Partitioner).map(_.trim).flatMap { name =>
      asked.userObject(Registry.Partitioner, name, classOf[Partitioner]).map { made =>
        made.close()
        name
      }
    }

  private def checkpoint(options: JMap[String, String]): Option[String] =
    options.asScala
      .collectFirst { case (key, value) if key.toLowerCase(Locale.ROOT) == "checkpointlocation" => value }
      .filter(value => value != null && value.trim.nonEmpty)
}
