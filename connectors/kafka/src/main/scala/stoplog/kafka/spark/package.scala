// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** The format `stoplog-kafka`: its provider, and the conversion of rows to records. */
package object spark
