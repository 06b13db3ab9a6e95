// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** The format `stoplog-cassandra`: its provider, and a query's run based on [[stoplog.cassandra.write]].
  * Reads use [[stoplog.cassandra.read]] through the core's frame.
  */
package object spark
