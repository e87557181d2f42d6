/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "9715d16f2f64c0b2e6b1bb083fdcea813a272c126dbe7dfc67f9363f9c82dbb3",
  "8bf6d3437d1b2b54d48f6ea10786ea4c481907d74cd3c36d5acbf3d42c163f02",
] as const;
