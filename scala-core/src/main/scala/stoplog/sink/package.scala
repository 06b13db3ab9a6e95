// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The public interface of sinks that commit in two phases: a task prepares, the driver commits what a record names.
  *
  * Storages of parts implement it, connectors do, and users may. It knows nothing of logs, Spark or options.
  */
package object sink
