/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "9f07d63868c0b540952b23f52d42561524a35bc3b664f5febc57c3a9f327e7e1",
  "a751bed2cb3fb8b08aba1c7dc22613baf3d7425d81cec93f18cbd26914be1ddf",
] as const;
