// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Builders of the sink and of the source. The source is Spark's own Kafka source. */
package object kafka
