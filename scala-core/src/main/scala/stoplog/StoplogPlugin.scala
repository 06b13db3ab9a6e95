// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.{Map => JMap}

import org.apache.spark.SparkContext
import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}

import stoplog.spark.RunGauges

/** Shows the figures of running sinks and sources as gauges of Spark's metrics system, and so in JMX,
  * Graphite, StatsD and Spark's Prometheus servlet. Set `spark.plugins=stoplog.StoplogPlugin` before the
  * application starts.
  *
  * Each gauge has the name `plugin.stoplog.StoplogPlugin.sink.<path>.<figure>` after the prefix that Spark
  * gives to metrics of the driver. Figures and their units are those of `StreamingQueryProgress.sink.metrics`
  * and `sources[].metrics`. The gauges of a query are removed when the query ends. The gauge `fencedRuns`
  * counts the runs of this application that a newer run has replaced.
  */
final class StoplogPlugin extends SparkPlugin {

  /** Called by Spark. */
  override def driverPlugin(): DriverPlugin = new DriverPlugin {
    override def init(context: SparkContext, plugin: PluginContext): JMap[String, String] = {
      RunGauges.attach(plugin.metricRegistry())
      JMap.of()
    }

    override def shutdown(): Unit = RunGauges.detach()
  }

  /** Called by Spark. Returns `null`, because executors have no figures. */
  override def executorPlugin(): ExecutorPlugin = null
}
