// SPDX-License-Identifier: Apache-2.0
package stoplog.filesource

/* The source of files, put together from options: its root and patterns, its columns, and its storage. It may know
 * options, Spark session settings and `source.file`, and is known by `spark` alone.
 */
