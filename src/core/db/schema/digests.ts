/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */
export const [VIEWS_DIGEST, TABLES_DIGEST] = [
  "e0f93150185704cef40e2104b82213d139b23383a870264a837563b87f38f829",
  "bd7cb62da395250311ea657664d67ac81bca1cc2f5559d3544b08137a6e9ce05",
] as const;
