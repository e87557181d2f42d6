/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "3a2706365d7503623413bf8d8a0b5bfde40a19f0fdc8a8d60b52b32ae1e99f43",
  "dfd2ac8a64474100ea34f6ba2e218120e4c6de01daf4bd08d6ab7b352e9ef85a",
] as const;
