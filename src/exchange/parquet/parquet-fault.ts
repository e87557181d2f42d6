/** What is wrong with a Parquet file. Whoever reads the file puts it into an error with a code and the file's name. */
export class ParquetFault extends Error {}
