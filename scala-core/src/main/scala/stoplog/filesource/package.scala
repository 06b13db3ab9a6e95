// SPDX-License-Identifier: Apache-2.0
package stoplog.filesource

/* Creates the file source from options: its root and patterns, its columns, and its storage. May depend on
 * options, Spark session settings and `source.file`. Only `spark` depends on this package.
 */
