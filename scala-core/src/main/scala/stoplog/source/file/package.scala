// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

/* Files as a source: files are listed, remembered, divided into splits, and read record by record. Users
 * implement `FileFinder`. Depends on `source`, `source.format` and `storage.SourceFiles`, but neither on
 * Spark nor on options.
 */
