// SPDX-License-Identifier: Apache-2.0
package stoplog

/** A part of a sink: a file from its first row to its final name, as represented in records and storages.
  *
  * The package contains only names, handles and counts. Package `format` defines the content of a part, and
  * `commit` defines which writer owns a part.
  */
package object part
