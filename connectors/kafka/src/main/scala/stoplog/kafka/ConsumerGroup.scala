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

/** Where a consumer group has got to.
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
    case StartPosition.Otherwise.Earliest => ConsumerGroup.Earliest
    case StartPosition.Otherwise.Latest   => ConsumerGroup.Latest
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

private object ConsumerGroup {
  // As Spark spells them.
  val Earliest = -2L
  val Latest   = -1L
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

  /** What [[assignment]] has written. */
  def assigned(json: String): Map[String, Seq[Int]] =
    mapper.readTree(json).properties.asScala.map(e => e.getKey -> e.getValue.asScala.map(_.asInt).toSeq).toMap

  private val mapper = new ObjectMapper()
}
