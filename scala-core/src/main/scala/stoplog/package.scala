// SPDX-License-Identifier: Apache-2.0

/** Entry points of a program: builders of the file sink and the file source, and the graceful stop.
  *
  * A builder collects options. Its `build` method checks the options with the registry of
  * [[stoplog.options]].
  */
package object stoplog
