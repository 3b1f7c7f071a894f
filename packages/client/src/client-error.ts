/**
 * Why a call of the client failed. None of these ends the login.
 *
 * `code` is the server's `error`, such as `invalid_grant` for a wrong password or a wrong code, `invalid_scope`,
 * `too_many_requests` or `temporarily_unavailable`; or a code of the client itself: `network_error` without a response,
 * `invalid_answer` if the response is not from Latchhook, `login_changed` if another user has logged in before a
 * request was sent.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: string;
  /** The status of the response; undefined without a response. */
  readonly status: number | undefined;
  /** How long the server asks to wait, s. */
  readonly retryAfterSeconds: number | undefined;
  /** How many more codes the challenge accepts after a wrong code. */
  readonly attemptsRemaining: number | undefined;
  /** Which fields were rejected, and why. */
  readonly fields: readonly FieldError[];

  constructor(message: string, details: ClientErrorDetails, cause?: unknown) {
    super(message, { cause });
    this.code = details.code;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.attemptsRemaining = details.attemptsRemaining;
    // The body of a proxy may have `errors` of another kind.
    this.fields = Array.isArray(details.fields) ? details.fields : [];
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

/** The body of an error response, from Latchhook or from a proxy. */
interface ErrorBody {
  readonly error?: unknown;
  readonly error_description?: string;
  readonly attempts_remaining?: number;
  readonly errors?: readonly FieldError[];
}

/** @param body - the parsed body; an empty object if it is not JSON */
export function errorOf({ status, headers }: Response, body: ErrorBody): ClientError {
  // RFC 9110, section 10.2.3: seconds or a date. An absent or empty header is neither.
  const retryAfter = headers.get('retry-after') || 'none';
  const seconds = Number(retryAfter);
  const waitSeconds =
    seconds >= 0 ? seconds : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return new ClientError(body.error_description ?? `The server answered with ${status}.`, {
    code: isCode(body.error) ? body.error : proxyErrorCode(status),
    status,
    retryAfterSeconds: waitSeconds >= 0 ? waitSeconds : undefined,
    attemptsRemaining: body.attempts_remaining,
    fields: body.errors,
  });
}

function proxyErrorCode(status: number): string {
  if (status === 429) return 'too_many_requests';
  return status < 500 ? 'invalid_answer' : 'server_error';
}

/** Whether `error` is a code of OAuth 2. Proxies may use other values. */
function isCode(error: unknown): error is string {
  return typeof error === 'string' && /^[a-z_]+$/.test(error);
}

/** Throws a rejection of `fetch` as `network_error`; a `ClientError` as it is. */
export function throwNetworkError(cause: unknown): never {
  if (cause instanceof ClientError) throw cause;
  throw new ClientError('The server cannot be reached.', { code: 'network_error' }, cause);
}

/**
 * Whether a retry may succeed. Below 400 are 0, for no response, and the statuses of pages that are not from Latchhook,
 * such as a captive portal's. `login_changed` has no status either: the next call uses the new login, and succeeds.
 */
export function isTemporary({ status = 0 }: ClientError): boolean {
  return status < 400 || status >= 500 || status === 408 || status === 429;
}
