/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "6ad331680a5a8383da9a769d57cd4bdf563db62d578cd75144042f0ec2f6c19d",
  "230e22caf66661ca9f1c9e38acb1588db7d31d0dcfd9654badf5ff7181ff787e",
] as const;
