// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** Conversions between Spark types and CQL types. The package depends on both type systems, but not on the
  * connector.
  */
package object types
