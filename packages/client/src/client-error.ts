/**
 * Why a call of the client failed. None of these ends the login.
 *
 * `code` is the server's `error`, such as `invalid_grant` for a wrong password or a wrong code, `invalid_scope`,
 * `too_many_requests` or `temporarily_unavailable`; or `network_error` where no answer came, `invalid_answer` where
 * something other than the server answered, and `login_changed` where somebody else has logged in before a request
 * could be sent.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: string;
  /** The status of the answer; undefined where none came. */
  readonly status: number | undefined;
  /** How long the server asks to wait, s. */
  readonly retryAfterSeconds: number | undefined;
  /** How many codes the challenge still accepts, after a wrong one. */
  readonly attemptsRemaining: number | undefined;
  /** Which fields were rejected, and why. */
  readonly fields: readonly FieldError[];

  constructor(message: string, details: ClientErrorDetails, cause?: unknown) {
    super(message, { cause });
    this.code = details.code;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.attemptsRemaining = details.attemptsRemaining;
    this.fields = details.fields ?? [];
  }
}

export interface ClientErrorDetails {
  readonly code: string;
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly attemptsRemaining?: number | undefined;
  readonly fields?: readonly FieldError[] | undefined;
}

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** What the server says went wrong, or a proxy in front of it. */
interface ErrorBody {
  readonly error?: unknown;
  readonly error_description?: string;
  readonly attempts_remaining?: number;
  readonly errors?: readonly FieldError[];
}

/** @param answer - what the answer held; empty where that was no JSON */
export function errorOf({ status, headers }: Response, answer: object): ClientError {
  const body: ErrorBody = answer;
  const seconds = Number(headers.get('retry-after') || Number.NaN);
  return new ClientError(body.error_description ?? `The server answered with ${status}.`, {
    code: isCode(body.error) ? body.error : status < 500 ? 'invalid_answer' : 'server_error',
    status,
    retryAfterSeconds: seconds >= 0 ? seconds : undefined,
    attemptsRemaining: body.attempts_remaining,
    fields: body.errors,
  });
}

/** Proxies have other things there. */
function isCode(error: unknown): error is string {
  return typeof error === 'string' && /^[a-z_]+$/.test(error);
}

/** For what `fetch` rejects with. */
export function throwNetworkError(cause: unknown): never {
  if (cause instanceof ClientError) throw cause;
  throw new ClientError('The server cannot be reached.', { code: 'network_error' }, cause);
}

/** Whether the same request may succeed later, so that it says nothing about the login. */
export function isTemporary({ status = 0 }: ClientError): boolean {
  return status < 400 || status >= 500 || status === 408 || status === 429;
}
