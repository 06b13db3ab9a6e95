// SPDX-License-Identifier: Apache-2.0

/** Builders of the sink and of the source of files, and the marker that stops a query: what a program sets up a query with.
  *
  * A builder collects options; its `build` checks them with the registry of [[stoplog.options]].
  */
package object stoplog
