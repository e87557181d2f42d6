/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "b39a184285af48d5d67bea12cf63fe4c41e7b92e16e187a1e26df8ac2c1dddeb",
  "9462a82636237c93a965dccab7460bd6d862c5f70469f24cefb41af3bbf965b0",
] as const;
