// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.time.Duration
import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._
import scala.util.matching.Regex

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.kafka.clients.admin.{Admin, AdminClientConfig}
import org.apache.kafka.common.{KafkaException, TopicPartition}

import stoplog.kafka.client.{KafkaErrors, ProducerSettings}

/** The start position of a source for a query without a checkpoint. */
sealed trait StartPosition extends Product with Serializable

object StartPosition {

  /** Starts with the oldest available records. */
  case object Earliest extends StartPosition

  /** Starts with records written after the start of the query. */
  case object Latest extends StartPosition

  /** Starts with the committed offsets of a consumer group. The source reads the offsets when the source is
    * built, and never commits offsets to the group.
    *
    * @param group     the id of the group
    * @param otherwise the start of a partition without a committed offset
    */
  final case class Group(group: String, otherwise: Otherwise) extends StartPosition

  /** Starts with the first record of each partition at or after this timestamp, or else at the end.
    *
    * @param millis milliseconds since 1970-01-01T00:00:00Z
    */
  final case class Timestamp(millis: Long) extends StartPosition

  /** Starts with given offsets by topic and partition, for all partitions of all topics. -2 is the earliest
    * offset, -1 the latest.
    */
  final case class Offsets(offsets: Map[String, Map[Int, Long]]) extends StartPosition

  def group(id: String, otherwise: Otherwise = Otherwise.Fail): StartPosition = Group(id, otherwise)

  def timestamp(millis: Long): StartPosition = Timestamp(millis)

  def offsets(offsets: Map[String, Map[Int, Long]]): StartPosition = Offsets(offsets)

  /** The start of a partition without a committed offset of the consumer group. */
  sealed abstract class Otherwise(val word: String) extends Product with Serializable

  object Otherwise {
    case object Earliest extends Otherwise("earliest")
    case object Latest   extends Otherwise("latest")
    case object Fail     extends Otherwise("fail")

    val all: Seq[Otherwise] = Seq(Earliest, Latest, Fail)

    private[kafka] def named(word: String): Otherwise = all
      .find(_.word == word)
      .getOrElse(
        throw new IllegalArgumentException(s"'$word' is not one of ${all.map(_.word).mkString(", ")}")
      )
  }
}

/** The committed offsets of a consumer group.
  *
  * @param client settings of Kafka's client
  * @param group  the id of the group
  */
private[kafka] final class ConsumerGroup(client: Map[String, String], group: String) {

  /** Returns an offset for each partition in the selection, as required by Spark.
    *
    * Error: `STOPLOG_KAFKA_GROUP`.
    *
    * @param selection the topics or partitions to read, as an option of Spark
    */
  def startingOffsets(selection: Map[String, String], otherwise: StartPosition.Otherwise): String =
    withAdmin { admin =>
      val wanted    = partitions(admin, selection)
      val committed = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().asScala
      val offsets   = wanted.map { of =>
        of -> committed.get(of).filter(_ != null).map(_.offset).getOrElse(without(of, otherwise))
      }
      if (offsets.isEmpty) throw KafkaErrors.group(group, s"no topic matches $selection")
      Offsets.json(
        offsets
          .groupMap(_._1.topic) { case (of, offset) => of.partition -> offset }
          .view
          .mapValues(_.toMap)
          .toMap
      )
    }

  private def without(partition: TopicPartition, otherwise: StartPosition.Otherwise): Long = otherwise match {
    // Spark's encoding of the positions.
    case StartPosition.Otherwise.Earliest => -2L
    case StartPosition.Otherwise.Latest   => -1L
    case StartPosition.Otherwise.Fail     =>
      throw KafkaErrors.group(group, s"the group has committed no offset of $partition")
  }

  private def partitions(admin: Admin, selection: Map[String, String]): Seq[TopicPartition] =
    selection.toSeq.flatMap {
      case ("subscribe", topics)       => ofTopics(admin, topics.split(',').toSeq.map(_.trim))
      case ("subscribePattern", regex) =>
        ofTopics(admin, admin.listTopics().names().get().asScala.toSeq.filter(new Regex(regex).matches))
      case ("assign", json) =>
        Offsets.assigned(json).toSeq.flatMap { case (topic, numbers) =>
          numbers.map(new TopicPartition(topic, _))
        }
      case (other, _) => throw new IllegalArgumentException(s"$other does not select topics")
    }

  private def ofTopics(admin: Admin, topics: Seq[String]): Seq[TopicPartition] =
    admin.describeTopics(topics.asJava).allTopicNames().get().asScala.toSeq.flatMap {
      case (topic, described) =>
        described.partitions.asScala.map(p => new TopicPartition(topic, p.partition))
    }

  private def withAdmin(question: Admin => String): String = {
    val known    = AdminClientConfig.configNames().asScala
    val settings = ProducerSettings.limited(client).collect {
      case (key, value) if known(key) => key -> (value: Object)
    }
    try {
      val admin = Admin.create(settings.asJava)
      try question(admin)
      finally admin.close(Duration.ZERO)
    } catch {
      case e: ExecutionException => throw KafkaErrors.group(group, e.getCause.toString)
      // Kafka throws for invalid settings and for names of unknown hosts.
      case e: KafkaException =>
        val servers = client.getOrElse(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "")
        throw KafkaErrors.group(group, s"${KafkaErrors.reasonOf(e)}, with the brokers $servers")
    }
  }
}

/** Offsets and partitions in the format of Spark's source. */
private[kafka] object Offsets {

  /** Returns the offsets by topic and partition, as JSON. */
  def json(offsets: Map[String, Map[Int, Long]]): String = {
    val tree = mapper.createObjectNode()
    for ((topic, partitions) <- offsets.toSeq.sortBy(_._1)) {
      val node = tree.putObject(topic)
      for ((partition, offset) <- partitions.toSeq.sorted) node.put(partition.toString, offset)
    }
    mapper.writeValueAsString(tree)
  }

  def assignment(partitions: Map[String, Seq[Int]]): String = {
    val tree = mapper.createObjectNode()
    for ((topic, numbers) <- partitions.toSeq.sortBy(_._1)) {
      val node = tree.putArray(topic)
      numbers.sorted.foreach(node.add(_: Int))
    }
    mapper.writeValueAsString(tree)
  }

  /** Parses the result of [[assignment]]. */
  def assigned(json: String): Map[String, Seq[Int]] =
    mapper.readTree(json).properties.asScala.map(e => e.getKey -> e.getValue.asScala.map(_.asInt).toSeq).toMap

  private val mapper = new ObjectMapper()
}
