// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** The target `kafka` of announcements: a record for each announcement, in transactions with the position. */
package object announce
