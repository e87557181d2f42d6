/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "90e085f4a9677f73465f0cec7486cdf365d143b072dd385933026e33d1379a1b",
  "bd7cb62da395250311ea657664d67ac81bca1cc2f5559d3544b08137a6e9ce05",
] as const;
