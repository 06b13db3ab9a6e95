// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

import stoplog.filesink.{BatchPartitioning, FileEngineSink}
import stoplog.options.{SinkOptions, SparkOptions}

/** The table of a write to files. */
private[spark] object FileTable {
  def apply(
      schema: StructType,
      partitioned: Array[Transform],
      properties: JMap[String, String]
  ): SinkTable[_] = {
    val options = BatchPartitioning.merged(SinkOptions.parse(properties), partitioned)
    SparkOptions.refuseAsyncProgress(properties)
    val storage = FileEngineSink.storageOf(options)
    SinkTable.resumed(FileEngineSink(schema, options, storage), options.checkpointLocation, partitioned)
  }
}
