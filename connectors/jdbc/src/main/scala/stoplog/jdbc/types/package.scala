// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** Types of columns, and the rule for each pair of a Spark type and a column type: values are stored exactly,
  * or are rejected by name.
  */
package object types
