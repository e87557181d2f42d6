/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "c163add26291f85bb931844354487f5be794ec448383e435a0d1875321fd1bb5",
  "dfd2ac8a64474100ea34f6ba2e218120e4c6de01daf4bd08d6ab7b352e9ef85a",
] as const;
