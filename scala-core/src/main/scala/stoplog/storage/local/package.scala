// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

/* A local file system, or a file system that is mounted everywhere, by `java.nio.file`. Independent of
 * Hadoop.
 */
