// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The options of sinks and sources. Each option has one definition, in the file of its group, with its
  * values, default and reference text.
  *
  * The driver parses the options of a call once, reports all problems together, and fills the case classes of
  * the groups with typed values. Only builders, `spark`, the packages that assemble sinks and sources,
  * `admin` and connectors import this package. Enumerations of a domain are defined in their domain.
  */
package object options
