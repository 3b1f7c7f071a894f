/** What `pg` and PGlite both tell of an error that the server raised. */
export interface SqlError {
  /** SQLSTATE. */
  readonly code: string;
  readonly detail: string | undefined;
}

/** `undefined` where the error is none of the server's: a connection that broke, for one. */
export function readSqlError(error: unknown): SqlError | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return;
  const detail = 'detail' in error && typeof error.detail === 'string' ? error.detail : undefined;
  return { code: error.code, detail };
}
