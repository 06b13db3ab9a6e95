// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

/** An array for the driver.
  *
  * @param elementType the type's name in the database
  */
private[jdbc] final case class SqlArray(elementType: String, elements: Array[Any])
