// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.nio.file.{Files, Path}
import java.time.Duration
import java.util.{List => JList}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.kafka.clients.admin.Admin
import org.apache.kafka.clients.consumer.{ConsumerRecord, KafkaConsumer}
import org.apache.kafka.common.{IsolationLevel, TopicPartition}
import org.apache.kafka.common.serialization.StringDeserializer

import stoplog.kafka.client.ProducerSettings
import stoplog.servers.ServerProcess

/** A broker in a process of its own, and what its readers see. */
final class Broker private (directory: Path) {
  @volatile private var process = launch()

  /** `host:port` */
  def servers: String = process.address

  /** As `kill -9`. */
  def kill(): Unit = process.kill()

  /** Returns when it answers again, under the same address. */
  def restart(): Unit = {
    kill()
    process = launch()
  }

  def settings(timeoutMillis: Long = 10 * 60000): ProducerSettings =
    ProducerSettings(Map("bootstrap.servers" -> servers), timeoutMillis)

  /** Returns when clients may send to all partitions. */
  def createTopic(name: String, partitions: Int = 1): String = process.ask(s"create $name $partitions")

  def withAdmin[A](action: Admin => A): A =
    Using.resource(Admin.create(Map[String, Object]("bootstrap.servers" -> servers).asJava))(action)

  /** The values that readers of committed records see, in the order of each partition. */
  def committed(topic: String): Vector[String] = records(topic).map(_.value)

  def records(topic: String): Vector[ConsumerRecord[String, String]] = {
    waiting(topic)
    read(topic, IsolationLevel.READ_COMMITTED)
  }

  /** With what is not committed, or aborted. */
  def everything(topic: String): Vector[String] = read(topic, IsolationLevel.READ_UNCOMMITTED).map(_.value)

  /** Whether readers of committed records wait for a transaction that is open. */
  def isHeldUp(topic: String): Boolean = waiting(topic) > 0

  /** How many records of open transactions there are, or came after such, when readers know of all that is decided. */
  private def waiting(topic: String): Long = process.ask(s"open $topic").toLong

  private def read(topic: String, isolation: IsolationLevel): Vector[ConsumerRecord[String, String]] =
    Using.resource(consumer(isolation)) { reader =>
      val all  = partitions(reader, topic)
      val ends = reader.endOffsets(all).asScala
      reader.assign(all)
      reader.seekToBeginning(all)
      @tailrec
      def on(sofar: Vector[ConsumerRecord[String, String]]): Vector[ConsumerRecord[String, String]] =
        if (ends.forall { case (of, end) => reader.position(of) >= end }) sofar
        else on(sofar ++ reader.poll(Duration.ofMillis(200)).asScala)
      on(Vector.empty)
    }

  private def partitions(reader: KafkaConsumer[_, _], topic: String): JList[TopicPartition] =
    reader.partitionsFor(topic).asScala.map(p => new TopicPartition(topic, p.partition)).asJava

  private def consumer(isolation: IsolationLevel): KafkaConsumer[String, String] = new KafkaConsumer(
    Map[String, Object](
      "bootstrap.servers" -> servers,
      "isolation.level"   -> isolation.toString.toLowerCase
    ).asJava,
    new StringDeserializer,
    new StringDeserializer
  )

  private def launch(): ServerProcess =
    ServerProcess.start("broker", "stoplog.servers.KafkaServer", directory)
}

object Broker {

  /** For a transaction whose time is to be up: a busy machine prepares it within that. */
  val ShortMillis = 10000

  /** One for all suites of this JVM that do not kill it. */
  lazy val shared: Broker = start()

  /** A new one. */
  def start(): Broker = new Broker(Files.createTempDirectory("stoplog-kafka"))
}
