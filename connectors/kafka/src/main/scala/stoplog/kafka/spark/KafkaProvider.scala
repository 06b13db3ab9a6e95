// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.engine.JarVersions
import stoplog.kafka.options.{Delivery, KafkaSinkOptions}
import stoplog.kafka.transaction.BrokerLimits
import stoplog.spark.SinkTable
import stoplog.twophase.TwoPhaseEngineSink

/** `format("stoplog-kafka")`: writes to Kafka.
  *
  * The options are those of [[stoplog.kafka.options.KafkaSinkOptionRegistry]], which can be preset for a session as
  * `spark.datasource.stoplog-kafka.<option>`.
  */
final class KafkaProvider extends TableProvider with DataSourceRegister with SessionConfigSupport {

  override def shortName(): String = "stoplog-kafka"

  override def keyPrefix(): String = "stoplog-kafka"

  /** The rows' schema comes with the write. */
  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = new StructType()

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    JarVersions.check("stoplog-kafka", getClass)
    val options = KafkaSinkOptions.parse(properties)
    options.delivery match {
      case Delivery.ExactlyOnce =>
        BrokerLimits.check(options.producer)
        SinkTable.twoPhase(
          new TwoPhaseEngineSink(
            schema,
            (rows: StructType) => new TransactionalSink(options, RecordColumns.of(rows, options.topic)),
            TransactionalSink.settings(options)
          ),
          properties
        )
      case _ => new SinkTable(new PlainEngineSink(schema, options))
    }
  }
}
