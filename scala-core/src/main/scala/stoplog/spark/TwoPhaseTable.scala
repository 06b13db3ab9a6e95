// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.options.SparkOptions
import stoplog.twophase.TwoPhaseEngineSink

/** The table of a write to a sink that commits in two phases: what a connector's provider answers with. */
private[stoplog] object TwoPhaseTable {

  /** Carries out what an earlier run has decided, and claims nothing: the start may still be refused.
    *
    * @param properties as Spark has them, for what is the engine's business
    */
  def apply(
      sink: TwoPhaseEngineSink[StructType, InternalRow],
      properties: JMap[String, String]
  ): SinkTable[_] = {
    val asked = SparkOptions.caseless(properties)
    SparkOptions.refuseAsyncProgress(asked)
    SinkTable.resumed(sink, Option(asked.get("checkpointLocation")))
  }
}
