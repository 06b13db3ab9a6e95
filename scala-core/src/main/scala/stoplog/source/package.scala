// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/* Sources that yield splits, without Spark: the interfaces that users implement (`SplitSource`, `SplitEnumerator`,
 * `SplitReader`, `RecordEmitter`), the driver that plans micro-batches, and the log that names the splits of each. It
 * knows storages, fault points and errors, and no options.
 */
