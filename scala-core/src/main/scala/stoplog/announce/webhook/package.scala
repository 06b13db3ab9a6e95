// SPDX-License-Identifier: Apache-2.0
package stoplog.announce

/** The target `webhook`: signed HTTP requests with CloudEvents. */
package object webhook
