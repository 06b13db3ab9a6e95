// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The options of sinks and sources: one entry for each, in the file of its group, with its values, default and
  * reference text.
  *
  * The driver parses the options of a call once, reports every mistake at once, and fills the case classes of the
  * groups with typed values. Only builders, `spark`, the packages that put sinks and sources together, `admin` and
  * connectors import this package; an enumeration of a domain stays in its domain.
  */
package object options
