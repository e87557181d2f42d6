// As sqlite-tables.cjs, for PostgreSQL.
module.exports = require("../../src/capabilities/postgresql/drizzle-tables.ts").postgresqlTables();
