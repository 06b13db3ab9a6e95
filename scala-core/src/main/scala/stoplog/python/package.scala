// SPDX-License-Identifier: Apache-2.0
package stoplog

/** User code in Python, in processes of the JVM: a process with its calls, the sharing of a process, and the
  * settings of Python on a driver. The package knows neither sinks nor sources.
  */
package object python
