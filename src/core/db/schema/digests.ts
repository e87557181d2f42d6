/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "284c7a24f40e9ed07c8372205937520f3e9f33e2ace895e967094634f9007e76",
  "230e22caf66661ca9f1c9e38acb1588db7d31d0dcfd9654badf5ff7181ff787e",
] as const;
