// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.announce

import java.time.Duration
import java.util.{HashMap => JHashMap, List => JList, Locale, Optional}
import java.util.concurrent.{ExecutionException, TimeoutException}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.kafka.clients.admin.{Admin, ListOffsetsOptions, NewTopic, OffsetSpec}
import org.apache.kafka.clients.consumer.{ConsumerConfig, ConsumerRecord, KafkaConsumer}
import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.kafka.common.{IsolationLevel, TopicPartition}
import org.apache.kafka.common.config.{ConfigResource, TopicConfig}
import org.apache.kafka.common.errors.{TopicExistsException, UnknownTopicOrPartitionException}
import org.apache.kafka.common.serialization.StringDeserializer

import stoplog.announce.{AnnouncementId, LogId}
import stoplog.kafka.client.{KnownTopics, ProducerSettings}
import stoplog.thread.{Clock, Stopwatch}

/** The compacted topic with the position of each log: the key is the log, the value the id of the last
  * announcement.
  */
private[announce] final class PositionTopic(
    topic: String,
    settings: ProducerSettings,
    newAdmin: ProducerSettings => Admin = settings => Admin.create(settings.admin),
    known: KnownTopics = KnownTopics.system
) {

  /** Creates the topic if it does not exist. Throws `IllegalArgumentException` if the topic is not compacted,
    * because the brokers would delete the positions of idle logs.
    */
  def ensure(): Unit = Using.resource(newAdmin(settings)) { admin =>
    if (!exists(admin, topic)) create(admin)
    val resource = new ConfigResource(ConfigResource.Type.TOPIC, topic)
    val policy   = known
      .ask(admin.describeConfigs(JList.of(resource)).all())
      .get(resource)
      .get(TopicConfig.CLEANUP_POLICY_CONFIG)
    if (policy != null && policy.value != TopicConfig.CLEANUP_POLICY_COMPACT)
      throw new IllegalArgumentException(
        s"the topic $topic has ${TopicConfig.CLEANUP_POLICY_CONFIG}=${policy.value}, and positions need " +
          TopicConfig.CLEANUP_POLICY_COMPACT
      )
  }

  /** Returns whether the brokers have the topic of the announcements. */
  def hasTopic(other: String): Boolean = Using.resource(newAdmin(settings))(exists(_, other))

  def record(key: String, id: AnnouncementId): ProducerRecord[Array[Byte], Array[Byte]] =
    new ProducerRecord(topic, key.getBytes("UTF-8"), id.toString.getBytes("UTF-8"))

  /** Reads a part of the topic: only a consumer shows some wrong settings and missing rights. Does not wait
    * for open transactions, because the drivers of other logs may write at any time.
    */
  def tryRead(): Unit =
    reading(IsolationLevel.READ_UNCOMMITTED) { (next, isAtEnd) =>
      @tailrec
      def any(): Unit = if (next().isEmpty && !isAtEnd()) any()
      any()
    }

  /** Returns the position with this key. The caller has initialized its transactions, so that no earlier
    * driver has an open transaction of this log. Waits for the open transactions of other logs: committed
    * positions may follow their records.
    *
    * Throws `TimeoutException` if such a transaction stays open for longer than its time-out.
    */
  def read(key: String): Option[AnnouncementId] =
    reading(IsolationLevel.READ_COMMITTED) { (next, isAtEnd) =>
      def isPosition(record: ConsumerRecord[String, String]) =
        record.key == key && PositionTopic.parse(record.value).isDefined
      @tailrec
      def on(found: Option[ConsumerRecord[String, String]]): Option[AnnouncementId] =
        if (isAtEnd()) found.flatMap(newest => PositionTopic.parse(newest.value))
        else on((found ++ next().filter(isPosition)).reduceOption(newer))
      on(None)
    }

  /** Reads the topic from its beginning.
    *
    * @param action receives a function that returns the next records, possibly none, and a function that
    *               returns whether all records have been read
    */
  private def reading[A](isolation: IsolationLevel)(
      action: (() => Iterable[ConsumerRecord[String, String]], () => Boolean) => A
  ): A = {
    val watch = new Stopwatch(Clock.system)
    Using.resource(consumer(isolation)) { reader =>
      val ends = endOffsets()
      reader.assign(ends.keySet.asJava)
      reader.seekToBeginning(ends.keySet.asJava)
      action(
        () =>
          if (watch.millis > settings.transactionTimeoutMillis + PositionTopic.MarginMillis)
            throw new TimeoutException(s"the topic $topic was not read to its end: a transaction may be open")
          else reader.poll(PositionTopic.Poll).asScala,
        () => ends.forall { case (of, end) => reader.position(of) >= end }
      )
    }
  }

  /** Returns the newer of two records in the order of their arrival. If partitions are added to the topic,
    * the records of a key are in two partitions, whose order only the timestamps show.
    */
  private def newer(
      earlier: ConsumerRecord[String, String],
      later: ConsumerRecord[String, String]
  ): ConsumerRecord[String, String] =
    if (earlier.partition != later.partition && earlier.timestamp > later.timestamp) earlier else later

  /** Returns the ends of all partitions, including records of open transactions. */
  private def endOffsets(): Map[TopicPartition, Long] =
    Using.resource(newAdmin(settings)) { admin =>
      // A consumer returns no partitions, and so no position, if its broker does not know the topic yet.
      val described = known.ask(admin.describeTopics(JList.of(topic)).allTopicNames()).get(topic)
      val latest    = described
        .partitions()
        .asScala
        .map(partition => new TopicPartition(topic, partition.partition) -> OffsetSpec.latest())
        .toMap
        .asJava
      admin
        .listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
        .all()
        .get()
        .asScala
        .view
        .mapValues(_.offset)
        .toMap
    }

  private def consumer(isolation: IsolationLevel): KafkaConsumer[String, String] = {
    val known    = ConsumerConfig.configNames().asScala
    val consumer = new JHashMap[String, Object]()
    settings.client.foreach { case (key, value) => if (known(key)) consumer.put(key, value) }
    // These classes intercept the records of a producer. A consumer rejects them.
    consumer.remove(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG)
    consumer.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation.toString.toLowerCase(Locale.ROOT))
    consumer.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false")
    new KafkaConsumer(consumer, new StringDeserializer, new StringDeserializer)
  }

  private def exists(admin: Admin, name: String): Boolean =
    try {
      admin.describeTopics(JList.of(name)).allTopicNames().get()
      true
    } catch {
      case e: ExecutionException if e.getCause.isInstanceOf[UnknownTopicOrPartitionException] => false
    }

  private def create(admin: Admin): Unit = {
    val compacted = new NewTopic(topic, Optional.of[Integer](1), Optional.empty[java.lang.Short]())
      .configs(Map(TopicConfig.CLEANUP_POLICY_CONFIG -> TopicConfig.CLEANUP_POLICY_COMPACT).asJava)
    try admin.createTopics(JList.of(compacted)).all().get(): Unit
    catch { case e: ExecutionException if e.getCause.isInstanceOf[TopicExistsException] => () }
  }
}

private[announce] object PositionTopic {

  /** Parses the text of an id. */
  def parse(text: String): Option[AnnouncementId] = Some(text).collect {
    case Id(name, identity, sequence, number) =>
      AnnouncementId(LogId(name, identity), sequence.toLong, number.toInt)
  }

  private val Id                 = "(?s)(.*)/([^/]+)/([0-9]{1,18})/([0-9]{1,9})".r
  private val Poll               = Duration.ofMillis(100)
  private final val MarginMillis = 30000L
}
