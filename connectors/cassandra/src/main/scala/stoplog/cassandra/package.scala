// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Builders of the sink and of the source.
  *
  * A sink writes rows by key, with the write timestamp of their epoch, so the sink needs no log. Classes that
  * depend on the cluster's driver are in `client`, classes that depend on Spark's DataSource V2 are in
  * `spark`.
  */
package object cassandra
