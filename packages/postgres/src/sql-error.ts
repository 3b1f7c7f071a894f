/** What `pg` and PGlite both tell of an error. */
export interface SqlError {
  /** SQLSTATE; where the server could not be reached, the name of the system's error. */
  readonly code: string;
  readonly detail: string | undefined;
}

/** `undefined` where the error has no code: a connection that ended, for one. */
export function readSqlError(error: unknown): SqlError | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return;
  const detail = 'detail' in error && typeof error.detail === 'string' ? error.detail : undefined;
  return { code: error.code, detail };
}
