/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "888a3c205a137e99264e5414ec64636257f6d85212fb5ae9ae72c22f87a8e2d6",
  "230e22caf66661ca9f1c9e38acb1588db7d31d0dcfd9654badf5ff7181ff787e",
] as const;
