// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** Settings of Kafka's clients, the reference to an open transaction, and the connector's errors. The package
  * does not depend on Spark.
  */
package object client
