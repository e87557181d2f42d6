/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "99a0c0f8df43c3895bd0c73bd1c220e2b2a9162d559869ec3e9b1ef73cf0ffb5",
  "744c0d1755d2de6415b028fd11e9e3a3e717b9269d3217b8adb18a61ed0ea555",
] as const;
