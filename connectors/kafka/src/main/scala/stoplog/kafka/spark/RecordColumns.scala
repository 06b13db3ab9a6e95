// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import java.util.{ArrayList => JArrayList, List => JList}

import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.kafka.common.header.Header
import org.apache.kafka.common.header.internals.RecordHeader
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

import stoplog.format.ReadableTexts
import stoplog.kafka.client.KafkaErrors

/** Converts each row to a record, by column names: `value`, and optionally `key`, `headers`, `topic`,
  * `partition` and `timestamp`. Other columns are ignored, as in Spark's own sink. Serialized to the
  * executors.
  */
private[kafka] final class RecordColumns private (
    topic: Option[String],
    topicAt: Option[Int],
    keyAt: Option[RecordColumns.Bytes],
    valueAt: RecordColumns.Bytes,
    headersAt: Option[Int],
    partitionAt: Option[Int],
    timestampAt: Option[Int]
) extends Serializable {

  /** Returns the record of a row. Errors: `STOPLOG_NULL_VALUE`, `STOPLOG_BAD_ROW`. */
  def record(row: InternalRow): ProducerRecord[Array[Byte], Array[Byte]] =
    try
      new ProducerRecord(
        topic
          .orElse(present(topicAt, row).map(row.getUTF8String(_).toString))
          .getOrElse(throw KafkaErrors.nullTopic()),
        present(partitionAt, row).map(at => Int.box(row.getInt(at))).orNull,
        // Spark counts microseconds, Kafka milliseconds.
        present(timestampAt, row).map(at => Long.box(Math.floorDiv(row.getLong(at), 1000L))).orNull,
        keyAt.map(_.of(row)).orNull,
        valueAt.of(row),
        present(headersAt, row).map(headers(row, _)).orNull
      )
    catch {
      case e: IllegalArgumentException => throw KafkaErrors.record(e.getMessage)
    } // thrown by the client for invalid records

  private def present(column: Option[Int], row: InternalRow): Option[Int] = column.filterNot(row.isNullAt)

  private def headers(row: InternalRow, at: Int): JList[Header] = {
    val array = row.getArray(at)
    val made  = new JArrayList[Header](array.numElements())
    for (i <- 0 until array.numElements()) {
      if (array.isNullAt(i)) throw KafkaErrors.record(s"header ${i + 1} is null")
      val header = array.getStruct(i, 2)
      if (header.isNullAt(0)) throw KafkaErrors.record(s"the key of header ${i + 1} is null")
      val key = ReadableTexts
        .exact(header.getUTF8String(0))
        .getOrElse(throw KafkaErrors.record(s"the key of header ${i + 1} is not valid UTF-8"))
      made.add(
        new RecordHeader(
          key,
          if (header.isNullAt(1)) null else header.getBinary(1)
        )
      )
    }
    made
  }
}

private[kafka] object RecordColumns {

  /** Resolves the columns. Error: `STOPLOG_ROW_COLUMNS` for a schema without a valid mapping to records.
    *
    * @param topic the topic of all rows
    */
  def of(schema: StructType, topic: Option[String]): RecordColumns = {
    def find(name: String): Option[(Int, DataType)] = {
      val same = schema.fields.zipWithIndex.filter(_._1.name.equalsIgnoreCase(name))
      if (same.length > 1) refuse(s"there are ${same.length} columns $name")
      same.headOption.map { case (field, at) => at -> field.dataType }
    }
    def typed(name: String, wanted: DataType): Option[Int] = find(name).map {
      case (at, found) if DataType.equalsIgnoreNullability(found, wanted) => at
      case (_, found)                                                     =>
        refuse(s"the column $name is ${found.simpleString}, and has to be ${wanted.simpleString}")
    }
    def bytes(name: String): Option[Bytes] = find(name).map {
      case (at, _: StringType) => Bytes.OfText(at)
      case (at, BinaryType)    => Bytes.Unchanged(at)
      case (_, found)          =>
        refuse(s"the column $name is ${found.simpleString}, and has to be string or binary")
    }
    val topicAt = typed("topic", StringType)
    if (topic.isEmpty && topicAt.isEmpty) refuse("there is neither a column topic nor the option topic")
    new RecordColumns(
      topic,
      topicAt,
      bytes("key"),
      bytes("value").getOrElse(refuse("there is no column value")),
      typed("headers", Headers),
      typed("partition", IntegerType),
      typed("timestamp", TimestampType)
    )
  }

  /** A string or binary column. */
  sealed trait Bytes extends Serializable {
    def at: Int

    final def of(row: InternalRow): Array[Byte] = if (row.isNullAt(at)) null else some(row)

    protected def some(row: InternalRow): Array[Byte]
  }

  private object Bytes {
    final case class OfText(at: Int) extends Bytes {
      override protected def some(row: InternalRow): Array[Byte] = row.getUTF8String(at).getBytes
    }
    final case class Unchanged(at: Int) extends Bytes {
      override protected def some(row: InternalRow): Array[Byte] = row.getBinary(at)
    }
  }

  /** The type of headers in Spark's own Kafka source. */
  private val Headers = ArrayType(new StructType().add("key", StringType).add("value", BinaryType))

  private def refuse(why: String): Nothing = throw KafkaErrors.column(why)
}
