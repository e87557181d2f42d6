/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "8f94dcd2d95f776fe6d815fcfcfe19c0fcb48920e16e10247b47741f5584d116",
  "33bee2c4eedfd6cf7a89cc057989b5593958c0dfbb8abd802a72e2bb0b4cf05e",
] as const;
