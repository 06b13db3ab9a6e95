// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

/** The sink as Spark calls it. */
package object spark
