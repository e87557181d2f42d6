/** What `viewsDigest` gives. `npm run docs` writes it. */
export const VIEWS_DIGEST = "00a5f8bdf96eb4c3b84e5ed83e2e4bc4405a3980c88aa26183675af7b4b7e9f0";
