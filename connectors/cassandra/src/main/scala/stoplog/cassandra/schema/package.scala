// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** Tables as described by the cluster: columns, their CQL types, and their roles in the key. The package
  * depends on the driver and the options, but not on Spark.
  */
package object schema
