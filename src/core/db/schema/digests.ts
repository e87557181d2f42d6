/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "b3e78d3a41c17877ae7e45f3b36ce612676584ee29476af850cfeae541f922ee",
  "744c0d1755d2de6415b028fd11e9e3a3e717b9269d3217b8adb18a61ed0ea555",
] as const;
