// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

/* HDFS, and file systems with its capabilities: append, truncate, and leases, which keep late writers off. */
