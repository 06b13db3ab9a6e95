// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.announce

import java.util.{Map => JMap}

import org.apache.kafka.common.config.SaslConfigs

import stoplog.announce.setting.{SecretName, Secrets, TargetSettings}
import stoplog.kafka.client.ProducerSettings
import stoplog.kafka.options.{Delivery, KafkaClientOptions, KafkaSinkOptionRegistry => Registry}
import stoplog.options.{Opt, OptionGroup}

/** @param client   the client's settings, without the prefix `kafka.`
  * @param jaas     the name of the setting `sasl.jaas.config`, in place of the setting
  * @param idPrefix the prefix of transactional ids
  */
private[announce] final case class KafkaTargetSettings(
    topic: String,
    positionTopic: String,
    client: Map[String, String],
    jaas: Option[SecretName],
    transactionTimeoutMillis: Long,
    idPrefix: String
) {

  /** Returns the settings of producers. Throws `IllegalStateException` if the secret is missing. */
  def producer(secrets: Secrets): ProducerSettings = ProducerSettings(
    client ++ jaas.map(SaslConfigs.SASL_JAAS_CONFIG -> _.read(secrets)),
    transactionTimeoutMillis
  )
}

private[announce] object KafkaTargetSettings {
  case object Announcements extends OptionGroup("Announcements")

  val Topic: Opt[String] = Announcements.required("topic", Registry.Topic.values, "files")(
    "The topic of the announcements, which must exist."
  )

  val PositionTopic: Opt[String] = Announcements.option("positionTopic", Registry.Topic.values, "positions")(
    "the name of the topic with the suffix `-position`",
    "The compacted topic with the position of each log, created if absent."
  )

  val Jaas: Opt[SecretName] = Announcements.option("jaasConfigFrom", SecretName.values, "env:KAFKA_JAAS")(
    "`kafka.sasl.jaas.config`",
    "The name of a secret that contains `sasl.jaas.config`."
  )

  val TransactionTimeout: Opt[Long] = Announcements.withDefault(
    "transactionTimeout",
    Registry.TransactionTimeout.values,
    60000L,
    "2m"
  )("The time after which the brokers abort the transaction of a driver that has ended.")

  private val own: Seq[Opt[_]] =
    Seq(Registry.Servers, Topic, PositionTopic, Jaas, TransactionTimeout, Registry.TransactionalIdPrefix)

  /** The names of all settings, including those of Kafka's clients. */
  def names: Set[String] = own.map(_.key).toSet ++ KafkaClientOptions.names

  def parse(settings: JMap[String, String]): KafkaTargetSettings = TargetSettings.read(settings, own) {
    reader =>
      val client    = KafkaClientOptions.parse(reader, Delivery.ExactlyOnce)
      val topic     = reader.text(Topic).map(_.trim).getOrElse("")
      val positions = reader.text(PositionTopic).map(_.trim).getOrElse(s"$topic-position")
      if (topic.isEmpty) reader.errors.add(s"${Topic.key} is not set.")
      if (topic == positions) reader.errors.add(s"${PositionTopic.key} is the topic of the announcements.")
      if (reader.isSet(Jaas) && client.contains(SaslConfigs.SASL_JAAS_CONFIG))
        reader.errors.add(
          s"${Jaas.key} and kafka.${SaslConfigs.SASL_JAAS_CONFIG} are both set: remove one of them."
        )
      KafkaTargetSettings(
        topic,
        positions,
        client,
        reader.get(Jaas),
        reader(TransactionTimeout),
        reader(Registry.TransactionalIdPrefix)
      )
  }
}
