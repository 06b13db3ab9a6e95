// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

/** A value that a column cannot store exactly.
  *
  * @param why a clause about the value
  */
private[jdbc] final class Inexact(val why: String) extends RuntimeException(why, null, false, false)
