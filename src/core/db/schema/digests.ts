/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "a1269a0ff68ddcba09fd9a178c72aac22c042772e367221d2eae68718ca847ab",
  "230e22caf66661ca9f1c9e38acb1588db7d31d0dcfd9654badf5ff7181ff787e",
] as const;
