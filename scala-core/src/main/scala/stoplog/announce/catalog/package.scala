// SPDX-License-Identifier: Apache-2.0
package stoplog.announce

/** The target `catalog`: partitions of an external table of the session's catalogs. */
package object catalog
