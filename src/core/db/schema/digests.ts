/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "e75072766f10e4d07de459aa72e286ba2c56d6893216b820242b41f89ad2fcf4",
  "bd7cb62da395250311ea657664d67ac81bca1cc2f5559d3544b08137a6e9ce05",
] as const;
