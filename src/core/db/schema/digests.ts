/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "9de8b675efdaca6e1e3e9a60cf2443ca5b9e0972d80c4066f066392301c861e2",
  "dfd2ac8a64474100ea34f6ba2e218120e4c6de01daf4bd08d6ab7b352e9ef85a",
] as const;
