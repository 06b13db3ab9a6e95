// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import stoplog.kafka.Broker
import stoplog.kafka.options.KafkaSinkOptions
import stoplog.kafka.transaction.TransactionalIds
import stoplog.laws.TwoPhaseSinkLaws
import stoplog.part.RunId
import stoplog.sink.TwoPhaseSink

/** What every sink has to promise, against a real broker. */
class TransactionalSinkLaws extends TwoPhaseSinkLaws[InternalRow, String] {
  private val broker = Broker.shared
  private val topics = new AtomicInteger()
  private val schema = new StructType().add("value", StringType)

  override protected def sink(): TwoPhaseSink[InternalRow] = {
    val topic   = broker.createTopic(s"laws-${topics.incrementAndGet()}")
    val options = KafkaSinkOptions.parse(
      Map(
        "kafka.bootstrap.servers" -> broker.servers,
        "topic"                   -> topic,
        "logLocation"             -> s"/laws/$topic",
        "onLostTransaction"       -> "skip"
      ).asJava
    )
    new TransactionalSink(
      options,
      RecordColumns.of(schema, options.topic),
      TransactionalIds("stoplog", s"/laws/$topic", "main"),
      () => Set(RunId("laws"))
    )
  }

  override protected def row(number: Int): InternalRow = InternalRow(UTF8String.fromString(seen(number)))

  override protected def seen(number: Int): String = s"row $number"

  override protected def read(sink: TwoPhaseSink[InternalRow]): Seq[String] =
    broker.committed(sink.target.split(' ')(1))
}
