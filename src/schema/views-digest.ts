/** What `viewsDigest` gives. `npm run docs` writes it. */
export const VIEWS_DIGEST = "27b2a7daf18faa3fd296ef168f6edcf994d21d0091c143dd8d680a1d6071aac0";
