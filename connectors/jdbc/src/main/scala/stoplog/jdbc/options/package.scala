// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** The options of the sink. */
package object options
