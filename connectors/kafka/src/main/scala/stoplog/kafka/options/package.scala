// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** The options of the sink, and their parsed values. The source uses the options of Spark's own source. */
package object options
