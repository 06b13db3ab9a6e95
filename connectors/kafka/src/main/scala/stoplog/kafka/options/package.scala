// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** The options of the sink, and the values that they are read as. The source has those of Spark's own. */
package object options
