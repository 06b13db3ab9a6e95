// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.commit.TaskResult
import stoplog.options.SparkOptions
import stoplog.sink.TwoPhaseSink
import stoplog.twophase.{TwoPhaseEngineSink, TwoPhaseSettings}

/** The table of a write to a sink that commits in two phases: what a connector's provider answers with. */
private[stoplog] object TwoPhaseTable {

  /** Carries out what an earlier run has decided, and claims nothing: the start may still be refused.
    *
    * @param properties as Spark has them, for what is the engine's business
    */
  def apply(
      schema: StructType,
      properties: JMap[String, String],
      sink: StructType => TwoPhaseSink[InternalRow],
      settings: TwoPhaseSettings
  ): SinkTable[TaskResult] = {
    val asked = SparkOptions.caseless(properties)
    SparkOptions.refuseAsyncProgress(asked)
    SinkTable.resumed(
      new TwoPhaseEngineSink(schema, sink, settings),
      Option(asked.get("checkpointLocation"))
    )
  }
}
