// SPDX-License-Identifier: Apache-2.0
package stoplog

/** A part of a sink: a file from its first row to its final name, as records and storages know it.
  *
  * Names, handles and counts only. What a part's bytes mean belongs to `format`, and who may write it to `commit`.
  */
package object part
