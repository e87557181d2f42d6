/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "5d7c5ff4046e6de43c7fca2fc89426aeeff19ff3ab280313a7d4737591a25996",
  "5e8a74c0f58be1b768981166c21ec5a44dfbada7d3d8f0dfe273176f763f71c3",
] as const;
