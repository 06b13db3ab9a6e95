// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

/* HDFS, and file systems with the same capabilities: append, truncate, and leases, which stop late writers.

 */
