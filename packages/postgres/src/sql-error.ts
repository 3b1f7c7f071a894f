/** The part of an error that `pg` and PGlite have in common. */
export interface SqlError {
  /** The SQLSTATE; if the server could not be reached, the code of the system error. */
  readonly code: string;
  readonly detail: string | undefined;
}

/** Returns `undefined` if the error has no code, for example because the connection has ended. */
export function readSqlError(error: unknown): SqlError | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return;
  const detail = 'detail' in error && typeof error.detail === 'string' ? error.detail : undefined;
  return { code: error.code, detail };
}
