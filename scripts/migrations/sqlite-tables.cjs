// drizzle-kit takes the tables that a file exports. Only CommonJS can export what is made from the table data without naming each.
module.exports = require("../../src/capabilities/drizzle/sqlite.ts").sqliteTables;
