// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** Compressions of text-like parts: members that follow one another, so that a part can be cut behind any of them.
  */
package object compress
