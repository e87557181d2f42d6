import Database from "better-sqlite3";

/** Makes a file's stored judgements those of other rules. @returns how many there are */
export function forgetJudgements(path: string): number {
  const database = new Database(path);
  try {
    return database.prepare("UPDATE _judged_changes SET rules = 0, severity = 'silent', breaking = 0").run().changes;
  } finally {
    database.close();
  }
}
