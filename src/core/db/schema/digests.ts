/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "58c8dbd8de29ec65ed49459eb73b727162b6239bb20f190db46e913862b77576",
  "dfd2ac8a64474100ea34f6ba2e218120e4c6de01daf4bd08d6ab7b352e9ef85a",
] as const;
