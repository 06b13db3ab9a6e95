// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Builders of the sink and of the source, which is Spark's own. */
package object kafka
