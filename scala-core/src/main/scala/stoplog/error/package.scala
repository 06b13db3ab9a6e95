// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The errors of stoplog, each with a named condition, and the log: no text leaves the process without
  * [[Redaction]].
  *
  * [[Errors]] makes each error of the core; an [[ErrorMaker]] of its own makes those of a connector. The package
  * knows no other of stoplog.
  */
package object error
