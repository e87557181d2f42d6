// As sqlite-tables.cjs, for PostgreSQL.
module.exports = require("../../src/schema/dialects/postgresql.ts").postgresqlTables();
