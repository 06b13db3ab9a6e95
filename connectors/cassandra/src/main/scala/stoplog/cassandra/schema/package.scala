// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** Tables as the cluster describes them: columns, their types in CQL, and their roles in the key. The package knows the
  * driver and the options, and not Spark.
  */
package object schema
