import type { Refresh } from './refresher.ts';
import type { StoredLogin } from './stored-login.ts';
import { IN_COOKIES, INCLUDING } from './token-endpoint.ts';

export type Fetch = typeof globalThis.fetch;
type FetchInput = Parameters<Fetch>[0];

export interface AuthorizedFetchDeps {
  readonly fetch: Fetch;
  readonly baseUrl: string;
  /** Where the token may be sent. */
  readonly origins: ReadonlySet<string>;
  readonly refresh: Refresh;
  /** The login with a valid token; null if logged out. */
  readonly goodLogin: () => Promise<StoredLogin | null>;
  /** Whether the browser sends the token. */
  readonly inCookies: boolean;
}

/** `fetch` as the user who is logged in. */
export function createAuthorizedFetch(deps: AuthorizedFetchDeps): Fetch {
  const { fetch, baseUrl, origins, refresh, goodLogin, inCookies } = deps;

  const authorized: Fetch = async (input, init) => {
    if (isRequest(init)) {
      return authorized(new Request(isRequest(input) ? input : new URL(input, baseUrl), init));
    }
    const given = isRequest(input) ? input : undefined;
    const url = new URL(given?.url ?? String(input), baseUrl);
    const target = given ?? url;
    const headers = new Headers(init?.headers ?? given?.headers);
    // The caller has set a token itself.
    if (!origins.has(url.origin) || headers.has('authorization')) return fetch(target, init);

    const signal = init?.signal ?? given?.signal;
    const login = await unlessAborted(signal, goodLogin);
    if (login === null && !inCookies) return fetch(target, init);
    // A request can be sent once. The copy keeps its body for a second time.
    const first = given?.clone() ?? url;
    const response = await send(first, login);
    if (login === null || !(await isTokenRejected(response))) return response;

    const renewed = await unlessAborted(signal, () => refresh(login.stamp));
    // Not for another user who has logged in meanwhile.
    if (renewed?.session.userId !== login.session.userId || isStream(init?.body)) return response;
    void response.body?.cancel();
    return send(target, renewed);

    function send(to: FetchInput, sender: StoredLogin | null): Promise<Response> {
      if (inCookies) headers.set(...IN_COOKIES);
      else headers.set('authorization', `Bearer ${sender?.accessToken}`);
      return fetch(to, { ...init, ...(inCookies && INCLUDING), headers });
    }
  };
  return authorized;
}

/** Rejects when the caller aborts; the work goes on for others. */
function unlessAborted<Result>(
  signal: AbortSignal | null | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!signal) return work();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

function isRequest(input: unknown): input is Request {
  return typeof input === 'object' && input !== null && 'url' in input;
}

/** Whether sending a body consumes it. */
function isStream(body: unknown): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    ('getReader' in body || Symbol.asyncIterator in body)
  );
}

/**
 * RFC 6750 3.1. Scripts of another origin see the header only where the server exposes it, but always the body; and
 * where a cookie has expired, no token was rejected, and only the body says so.
 */
async function isTokenRejected(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const reason = response.headers.get('www-authenticate') + (await response.clone().text());
  return /\binvalid_token\b/.test(reason);
}
