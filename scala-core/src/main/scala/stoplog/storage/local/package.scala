// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

/* A local, or everywhere mounted, file system, by `java.nio.file`. It knows no Hadoop. */
