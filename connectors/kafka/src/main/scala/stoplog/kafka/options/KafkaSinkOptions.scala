// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.options

import java.util.{Locale, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.producer.{Partitioner, ProducerConfig}

import stoplog.error.StoplogArgumentException
import stoplog.kafka.client.ProducerSettings
import stoplog.kafka.options.{KafkaSinkOptionRegistry => Registry}
import stoplog.options.{LogOptions, OptionErrors, OptionReader, OtherNames, SparkOptions, Suggestion}
import stoplog.util.UserObject

/** The validated options of a sink.
  *
  * @param topic the topic of all rows; `None` if a column contains the topic
  * @param log   the options of the commit log; a lost part is a lost transaction
  * @param toMap the options as set by the user, from which the same sink can be created
  */
private[kafka] final case class KafkaSinkOptions(
    topic: Option[String],
    delivery: Delivery,
    producer: ProducerSettings,
    transactionalIdPrefix: String,
    log: LogOptions,
    toMap: Map[String, String]
)

private[kafka] object KafkaSinkOptions {

  /** Parses the options. Error: `STOPLOG_INVALID_OPTIONS` with all problems. */
  def parse(options: JMap[String, String]): KafkaSinkOptions = {
    val reader   = new OptionReader(options.asScala.toSeq, Registry.all)
    val delivery = reader(Registry.DeliveryMode)
    val client   = KafkaClientOptions.parse(reader, delivery)
    val parsed   = KafkaSinkOptions(
      reader.text(Registry.Topic).map(_.trim),
      delivery,
      ProducerSettings(client, reader(Registry.TransactionTimeout)),
      reader(Registry.TransactionalIdPrefix),
      LogOptions(
        reader.text(Registry.LogLocation).orElse(reader.checkpointLocation.filter(_.trim.nonEmpty)),
        reader(Registry.SinkId),
        reader(Registry.OnForeignQuery),
        reader(Registry.OnLostTransaction)
      ),
      reader.registeredValues ++ reader.others.filter { case (key, _) => KafkaClientOptions.isClients(key) }
    )
    if (delivery != Delivery.ExactlyOnce)
      reader.withoutEffect(Registry.ofTransactions, s"with ${Registry.DeliveryMode.key} = ${delivery.word}")
    reader.errors.throwIfAny()
    parsed
  }
}

/** The delivery guarantee for written rows. */
private[kafka] sealed abstract class Delivery(val word: String) extends Product with Serializable

private[kafka] object Delivery {

  /** No guarantee: the sink does not check whether a record has arrived. */
  case object NotGuaranteed extends Delivery("none")

  /** Each row arrives before its micro-batch ends, and may be duplicated after a failure. */
  case object AtLeastOnce extends Delivery("at-least-once")

  /** A reader of committed records sees each row once. */
  case object ExactlyOnce extends Delivery("exactly-once")

  val all: Seq[Delivery] = Seq(NotGuaranteed, AtLeastOnce, ExactlyOnce)
}

/** Classifies options other than the sink's own: settings of Kafka's client, Spark's options, and mistakes.
  */
private[kafka] object KafkaClientOptions {

  /** Returns the client's settings without their prefix, and reports all other options except Spark's. */
  def parse(reader: OptionReader, delivery: Delivery): Map[String, String] = {
    if (!reader.isSet(Registry.Servers)) reader.errors.add(s"${Registry.Servers.key} is missing.")
    val (client, rest) = reader.others.partition { case (key, _) => isClients(key) }
    rest.map(_._1).filterNot(SparkOptions.isSparks).foreach(key => reader.errors.add(unknown(key)))
    val settings = client.map { case (key, value) => lower(key).drop(Prefix.length) -> value }.toMap
    refused.foreach { case (key, why) => if (settings.contains(key)) reader.errors.add(s"$Prefix$key $why.") }
    settings.keys.toSeq.sorted.flatMap(misspelled).foreach(reader.errors.add(_))
    settings.get(ProducerConfig.PARTITIONER_CLASS_CONFIG).foreach(refuseNoPartitioner(_, reader.errors))
    if (delivery == Delivery.ExactlyOnce) fixed(settings, reader.errors)
    if (delivery == Delivery.AtLeastOnce)
      settings.get(ProducerConfig.ACKS_CONFIG).filter(_.trim == "0").foreach { _ =>
        reader.errors.add(
          s"${Prefix}acks = '0' would silently lose rows with ${Registry.DeliveryMode.key} = " +
            s"${delivery.word}: remove it, or set ${Registry.DeliveryMode.key} to ${Delivery.NotGuaranteed.word}."
        )
      }
    settings ++ reader.text(Registry.Servers).map(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG -> _.trim)
  }

  def isClients(key: String): Boolean = lower(key).startsWith(Prefix)

  /** Returns the names of all settings of the client, with the prefix. */
  def names: Set[String] = clientNames.map(Prefix + _)

  private def refused: Seq[(String, String)] = Seq(
    ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG   -> "cannot be set: keys are written without conversion",
    ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG -> "cannot be set: values are written without conversion",
    ProducerConfig.TRANSACTIONAL_ID_CONFIG       ->
      s"cannot be set: ${Registry.DeliveryMode.key} decides about transactions",
    ProducerConfig.TRANSACTION_TIMEOUT_CONFIG -> s"cannot be set: use ${Registry.TransactionTimeout.key}",
    // Not a constant of all supported clients.
    "transaction.two.phase.commit.enable" -> "cannot be set: the sink commits prepared transactions itself"
  )

  /** Checks that the partitioner's class exists, although only the executors use the class. */
  private def refuseNoPartitioner(name: String, errors: OptionErrors): Unit =
    try
      UserObject
        .load(name.trim, classOf[Partitioner], s"$Prefix${ProducerConfig.PARTITIONER_CLASS_CONFIG}")
        .close()
    catch {
      case e: StoplogArgumentException =>
        val said = e.getMessageParameters
        errors.add(
          s"$Prefix${ProducerConfig.PARTITIONER_CLASS_CONFIG} names ${said.get("reference")}: ${said.get("why")}.",
          e
        )
    }

  /** Returns a sentence for a name that resembles a setting of the client. Kafka ignores unknown names. A
    * name that resembles no setting may belong to a class of the user.
    */
  private def misspelled(key: String): Option[String] =
    if (clientNames(key)) None
    else
      Suggestion.misspelled(key, clientNames.toSeq).map { name =>
        s"$Prefix$key is not a setting of Kafka's client: did you mean $Prefix$name?"
      }

  private lazy val clientNames: Set[String] =
    (ProducerConfig.configNames().asScala ++ AdminClientConfig.configNames().asScala).toSet

  /** Rejects settings that could lose or duplicate rows. */
  private def fixed(settings: Map[String, String], errors: OptionErrors): Unit = {
    def refuse(key: String, allowed: Set[String]): Unit =
      settings.get(key).filterNot(value => allowed(lower(value.trim))).foreach { value =>
        errors.add(
          s"$Prefix$key = '$value' would lose or duplicate rows with ${Registry.DeliveryMode.key} = " +
            s"${Delivery.ExactlyOnce.word}: remove it."
        )
      }
    refuse(ProducerConfig.ACKS_CONFIG, Set("all", "-1"))
    refuse(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, Set("true"))
  }

  private def unknown(key: String): String = otherNames.problem(key).getOrElse {
    val settings = ProducerConfig.configNames().toArray(Array.empty[String]).toSeq.sorted
    if (settings.contains(key)) s"$key is a setting of Kafka's producer: write it as $Prefix$key."
    else
      Suggestion.of(key, Registry.all.map(_.key)) match {
        case Some(name) => s"$key is not an option: did you mean $name?"
        case None       => s"$key is not an option: remove it."
      }
  }

  private lazy val otherNames = OtherNames.ofConnector("kafka")

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)

  private val Prefix = "kafka."
}
