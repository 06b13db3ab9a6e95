// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** Settings of Kafka's clients, the reference to an open transaction, and the connector's errors. The package knows no
  * Spark.
  */
package object client
