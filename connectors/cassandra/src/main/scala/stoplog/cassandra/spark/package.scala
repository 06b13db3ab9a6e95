// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** The format `stoplog-cassandra`: its provider, and a query's run over [[stoplog.cassandra.write]]. Reads go to
  * [[stoplog.cassandra.read]] through the core's frame.
  */
package object spark
