// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The check before a start: findings about options, storage and names, each with advice.
  *
  * The check changes nothing visible to queries, and does not decide which queries may start.
  */
package object preflight
