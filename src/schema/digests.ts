/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "b25100b1168a3521d9ce1c03a5ba68abcab244b1f8e01e72854e0214a3f80b68",
  "8bf6d3437d1b2b54d48f6ea10786ea4c481907d74cd3c36d5acbf3d42c163f02",
] as const;
