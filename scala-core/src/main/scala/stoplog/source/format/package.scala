// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

/* User-defined formats for reading files: the traits that users implement, and the built-in formats. Depends
 * on no other package.
 */
