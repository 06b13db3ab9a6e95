// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

/* Files as a source: they are listed, remembered, cut into splits, and read record by record. Users implement
 * `FileFinder`. It knows `source`, `source.format` and `storage.SourceFiles`, and neither Spark nor options.
 */
