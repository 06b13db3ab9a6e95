// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/* The two interfaces of a storage, `FileStore` for files and `PartStore` for parts, and `Storage`, which
 * returns both for a path. Higher-level roles have one implementation for all storages: spool files, replaced
 * files, a batch job's directory. A storage depends neither on Spark nor on options nor on sources.
 */
