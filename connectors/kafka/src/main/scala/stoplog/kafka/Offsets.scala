// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

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
