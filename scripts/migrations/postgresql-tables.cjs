// As sqlite-tables.cjs, for PostgreSQL.
module.exports = require("../../src/capabilities/drizzle/postgresql.ts").postgresqlTables();
