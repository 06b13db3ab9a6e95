// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import java.time.Duration
import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._
import scala.util.matching.Regex

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.kafka.clients.admin.{Admin, AdminClientConfig}
import org.apache.kafka.common.TopicPartition

import stoplog.kafka.client.KafkaErrors

/** The position at which a source begins when its query has no checkpoint yet. */
sealed trait StartPosition extends Product with Serializable

object StartPosition {

  /** The oldest records that are there. */
  case object Earliest extends StartPosition

  /** The records that are written from now on. */
  case object Latest extends StartPosition

  /** The offsets that a consumer group has committed. It is asked when the source is built, and never told anything.
    *
    * @param group     its id
    * @param otherwise the start in a partition for which it has committed nothing
    */
  final case class Group(group: String, otherwise: Otherwise) extends StartPosition

  /** The first record of each partition whose timestamp is not before this one; where there is none, at the end.
    *
    * @param millis since 1970-01-01T00:00:00Z
    */
  final case class Timestamp(millis: Long) extends StartPosition

  /** Given offsets, by topic and partition: all partitions of all topics. -2 is the earliest, -1 the latest. */
  final case class Offsets(offsets: Map[String, Map[Int, Long]]) extends StartPosition

  def group(id: String, otherwise: Otherwise = Otherwise.Fail): StartPosition = Group(id, otherwise)

  def timestamp(millis: Long): StartPosition = Timestamp(millis)

  def offsets(offsets: Map[String, Map[Int, Long]]): StartPosition = Offsets(offsets)

  /** The start of a partition for which a consumer group has committed nothing. */
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
  * @param group  its id
  */
private[kafka] final class ConsumerGroup(client: Map[String, String], group: String) {

  /** For all partitions that Spark will find, which it insists on.
    *
    * Error: `STOPLOG_KAFKA_GROUP`.
    *
    * @param selection what is read, as an option of Spark
    */
  def startingOffsets(selection: Map[String, String], otherwise: StartPosition.Otherwise): String =
    asked { admin =>
      val wanted    = partitions(admin, selection)
      val committed = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().asScala
      val offsets   = wanted.map { of =>
        of -> committed.get(of).filter(_ != null).map(_.offset).getOrElse(without(of, otherwise))
      }
      if (offsets.isEmpty) throw KafkaErrors.group(group, s"no topic is there that matches $selection")
      Offsets.json(
        offsets
          .groupMap(_._1.topic) { case (of, offset) => of.partition -> offset }
          .view
          .mapValues(_.toMap)
          .toMap
      )
    }

  private def without(partition: TopicPartition, otherwise: StartPosition.Otherwise): Long = otherwise match {
    // As Spark spells them.
    case StartPosition.Otherwise.Earliest => -2L
    case StartPosition.Otherwise.Latest   => -1L
    case StartPosition.Otherwise.Fail     =>
      throw KafkaErrors.group(group, s"it has committed no offset of $partition")
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
      case (other, _) => throw new IllegalArgumentException(s"$other does not say what is read")
    }

  private def ofTopics(admin: Admin, topics: Seq[String]): Seq[TopicPartition] =
    admin.describeTopics(topics.asJava).allTopicNames().get().asScala.toSeq.flatMap {
      case (topic, described) =>
        described.partitions.asScala.map(p => new TopicPartition(topic, p.partition))
    }

  private def asked(question: Admin => String): String = {
    val known    = AdminClientConfig.configNames().asScala
    val settings = client.collect { case (key, value) if known(key) => key -> (value: Object) }
    val admin    = Admin.create(settings.asJava)
    try question(admin)
    catch { case e: ExecutionException => throw KafkaErrors.group(group, e.getCause.toString) }
    finally admin.close(Duration.ZERO)
  }
}

/** Offsets and partitions as Spark's source reads them. */
private[kafka] object Offsets {

  /** By topic and partition. */
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

  /** Reads the text that [[assignment]] writes. */
  def assigned(json: String): Map[String, Seq[Int]] =
    mapper.readTree(json).properties.asScala.map(e => e.getKey -> e.getValue.asScala.map(_.asInt).toSeq).toMap

  private val mapper = new ObjectMapper()
}
