// SPDX-License-Identifier: Apache-2.0
package com.microsoft.sqlserver.jdbc

import java.sql.SQLException

/** A failure in the package of SQL Server's driver, by which the sink recognizes its error codes. */
final class ServerFailure(message: String, state: String, code: Int)
    extends SQLException(message, state, code)
