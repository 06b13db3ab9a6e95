// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** The format `stoplog-kafka`: its provider, and the record that each row becomes. */
package object spark
