// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** Compressions of text-like parts: sequences of members, which can be truncated after any member. */
package object compress
