/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "d54899cee70924bb346c3380675f29a5f5d1433d0f9a8ef82bcd836eb58876b4",
  "8bf6d3437d1b2b54d48f6ea10786ea4c481907d74cd3c36d5acbf3d42c163f02",
] as const;
