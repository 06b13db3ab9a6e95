// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The named steps of the protocol, and the faults that tests inject there.
  *
  * Every place where a crash leaves something different on storage calls [[fault.Faults.at]]. In production that does nothing.
  */
package object fault
