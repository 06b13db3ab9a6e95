// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** Conversions between the types of Spark and of CQL. The package knows both, and nothing of the connector. */
package object types
