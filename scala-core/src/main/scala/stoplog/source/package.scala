// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/* Sources that return splits, without Spark: the interfaces that users implement (`SplitSource`,
 * `SplitEnumerator`, `SplitReader`, `RecordEmitter`), the driver that plans micro-batches, and the log with
 * the splits of each micro-batch. Depends on storages, fault points and errors, but not on options.
 */
