/**
 * Why a call of the client failed. None of these ends the login.
 *
 * `code` is the server's `error`, such as `invalid_grant` for a wrong password or a wrong code, `invalid_scope`,
 * `too_many_requests` or `temporarily_unavailable`; or `network_error` without a response, `invalid_answer` where the
 * response is not the server's, and `login_changed` where another user has logged in before a request was sent.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: string;
  /** The status; undefined without a response. */
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

/** The body of an error, of the server or a proxy. */
interface ErrorBody {
  readonly error?: unknown;
  readonly error_description?: string;
  readonly attempts_remaining?: number;
  readonly errors?: readonly FieldError[];
}

/** @param answer - the parsed body; empty if it is not JSON */
export function errorOf({ status, headers }: Response, answer: object): ClientError {
  const body: ErrorBody = answer;
  const retryAfter = headers.get('retry-after') || '-';
  const seconds = Number(retryAfter);
  // RFC 9110, section 10.2.3: seconds or a date.
  const wait = seconds >= 0 ? seconds : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return new ClientError(body.error_description ?? `The server answered with ${status}.`, {
    code: isCode(body.error) ? body.error : codeOf(status),
    status,
    retryAfterSeconds: wait >= 0 ? wait : undefined,
    attemptsRemaining: body.attempts_remaining,
    fields: body.errors,
  });
}

/** Of the response of a proxy. */
function codeOf(status: number): string {
  if (status === 429) return 'too_many_requests';
  return status < 500 ? 'invalid_answer' : 'server_error';
}

/** Proxies may use other values. */
function isCode(error: unknown): error is string {
  return typeof error === 'string' && /^[a-z_]+$/.test(error);
}

/** For rejections of `fetch`. */
export function throwNetworkError(cause: unknown): never {
  if (cause instanceof ClientError) throw cause;
  throw new ClientError('The server cannot be reached.', { code: 'network_error' }, cause);
}

/** Whether a retry may succeed, so that the login is still valid. */
export function isTemporary({ status = 0 }: ClientError): boolean {
  return status < 400 || status >= 500 || status === 408 || status === 429;
}
