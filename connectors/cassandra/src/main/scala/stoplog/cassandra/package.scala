// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Builders of the sink and of the source.
  *
  * A sink writes rows by their keys, with the write timestamp of their epoch, so it needs no log. A class that needs the
  * cluster's driver belongs into `client`, one that needs Spark's DataSource V2 into `spark`.
  */
package object cassandra
