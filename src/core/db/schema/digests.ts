/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "c13d3a589a8e50af066b976ff91aa62652d94379c12860949c3f387b1e5dd4a8",
  "744c0d1755d2de6415b028fd11e9e3a3e717b9269d3217b8adb18a61ed0ea555",
] as const;
