// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.util.Locale

/** Numbers in the names of files. The order of the names is the order of the numbers, and readers parse the
  * names. Java's formats use the digits of the locale, which are not ASCII in Arabic, Persian or Bengali.
  */
private[stoplog] object Digits {

  /** Returns the number in ASCII digits, with leading zeros up to this width. */
  def of(number: Long, width: Int = 20): String = s"%0${width}d".formatLocal(Locale.ROOT, number)
}
