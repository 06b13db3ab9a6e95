// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The named steps of the protocol, and the faults injected there by tests.
  *
  * Every place where a crash leaves a different state on storage calls [[fault.Faults.at]]. In production,
  * the call does nothing.
  */
package object fault
