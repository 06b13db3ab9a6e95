// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** Shared sessions of a cluster, the retries of requests, and the connector's errors. The package depends on
  * the driver, but not on Spark or options.
  */
package object client
