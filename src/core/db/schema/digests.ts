/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "d7b24164f814274114b64029422fd2f78f4d8190d9cf9afcbcda4540df7efc7d",
  "dfd2ac8a64474100ea34f6ba2e218120e4c6de01daf4bd08d6ab7b352e9ef85a",
] as const;
