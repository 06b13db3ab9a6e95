// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

/* Formats of one's own to read files with: the traits that users implement, and the formats that come with them. It knows
 * no other package.
 */
