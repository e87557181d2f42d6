/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "ade8cc01166babee39305940fb1e89e8552eb9925a5ad53a0899d712725203cf",
  "a751bed2cb3fb8b08aba1c7dc22613baf3d7425d81cec93f18cbd26914be1ddf",
] as const;
