// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** Transactions that one process begins and another commits, as the two phases of [[stoplog.sink]]. It knows no Spark. */
package object transaction
