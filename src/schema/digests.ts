/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "589f70ac0dd27c5987940d402daa11768720cd50e9f8e67dd2062216b81999f7",
  "8bf6d3437d1b2b54d48f6ea10786ea4c481907d74cd3c36d5acbf3d42c163f02",
] as const;
