// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The look before a start: findings about options, storage and names, each with what to do.
  *
  * It changes nothing that a query would see, and never decides what a query may do.
  */
package object preflight
