// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** Sessions of a cluster, which tasks share, the tries of their requests, and the connector's errors. The package knows the
  * driver, and neither Spark nor options.
  */
package object client
