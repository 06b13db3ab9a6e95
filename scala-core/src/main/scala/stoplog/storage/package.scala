// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/* A storage's two seams, `FileStore` for files and `PartStore` for parts that grow, with `Storage` that finds both for a
 * path. The roles on top are written once, for every storage: spool files, replaced files, a batch job's directory. A
 * storage knows neither Spark nor options nor sources.
 */
