// As sqlite-tables.cjs, for PostgreSQL.
module.exports = require("../../src/core/db/schema/dialects/postgresql.ts").postgresqlTables();
