/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "ff9f76a4528d7444b3784ea5a343194478068cbcd8e30dc54a5c0d7061cf2ca0",
  "230e22caf66661ca9f1c9e38acb1588db7d31d0dcfd9654badf5ff7181ff787e",
] as const;
