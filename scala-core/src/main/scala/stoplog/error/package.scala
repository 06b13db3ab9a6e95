// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The errors of stoplog, each with a named condition, and the log. [[Redaction]] is applied to all text that
  * leaves the process.
  *
  * [[Errors]] creates the errors of the core. Each connector has a separate [[ErrorMaker]]. The package
  * depends on no other package of stoplog.
  */
package object error
