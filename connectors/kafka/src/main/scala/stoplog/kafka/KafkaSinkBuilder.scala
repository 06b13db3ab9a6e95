// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import scala.jdk.CollectionConverters._

/** Sets a [[KafkaSink]]. Immutable: each call answers a new builder. Nothing is checked before [[build]]. */
final class KafkaSinkBuilder private[kafka] (options: Map[String, String]) {

  /** Where all rows go; without it, each goes where its column `topic` says. */
  def withTopic(topic: String): KafkaSinkBuilder = withOption("topic", topic)

  /** `none`, `at-least-once` or `exactly-once`, which is the default. */
  def withDelivery(delivery: String): KafkaSinkBuilder = withOption("delivery", delivery)

  /** The name of a class that implements `org.apache.kafka.clients.producer.Partitioner`. */
  def withPartitioner(className: String): KafkaSinkBuilder = withOption("partitioner", className)

  /** After which the brokers abort a transaction that nobody has ended, such as `15m`, which is the default. */
  def withTransactionTimeout(timeout: String): KafkaSinkBuilder = withOption("transactionTimeout", timeout)

  /** `fail` or `skip`: what to do when the brokers have aborted what the log says is committed. */
  def withOnLostTransaction(choice: String): KafkaSinkBuilder = withOption("onLostTransaction", choice)

  /** What all transactional ids begin with; `stoplog` by default. */
  def withTransactionalIdPrefix(prefix: String): KafkaSinkBuilder =
    withOption("transactionalIdPrefix", prefix)

  /** Where the commit log is kept; in the checkpoint by default. */
  def withLogLocation(directory: String): KafkaSinkBuilder = withOption("logLocation", directory)

  /** The name of the log; sinks that share a log's location need one each. `main` by default. */
  def withSinkId(sinkId: String): KafkaSinkBuilder = withOption("sinkId", sinkId)

  /** `fail` or `adopt`. */
  def withOnForeignQuery(choice: String): KafkaSinkBuilder = withOption("onForeignQuery", choice)

  /** A setting of Kafka's producer, by its own name, such as `compression.type`. */
  def withProducerSetting(name: String, value: String): KafkaSinkBuilder = withOption(s"kafka.$name", value)

  /** Any option by its name. */
  def withOption(key: String, value: String): KafkaSinkBuilder = new KafkaSinkBuilder(
    options + (key -> value)
  )

  /** The sink.
    *
    * @throws stoplog.error.StoplogArgumentException with all that is wrong at once
    */
  def build(): KafkaSink = KafkaSink.fromOptions(options.asJava)
}
