import type { Refresh } from './refresher.ts';
import type { StoredLogin } from './stored-login.ts';
import { requestCookies } from './token-endpoint.ts';

export type Fetch = typeof globalThis.fetch;
type FetchInput = Parameters<Fetch>[0];

export interface AuthorizedFetchDeps {
  readonly fetch: Fetch;
  readonly baseUrl: string;
  /** The origins to which the token may be sent. */
  readonly origins: ReadonlySet<string>;
  readonly refresh: Refresh;
  /** Resolves to the login with a valid token; to null if logged out. */
  readonly validLogin: () => Promise<StoredLogin | null>;
  /** Whether the browser sends the token, in a cookie. */
  readonly cookieMode: boolean;
}

/** `fetch` as the user who is logged in. */
export function createAuthorizedFetch(deps: AuthorizedFetchDeps): Fetch {
  const { fetch, baseUrl, origins, refresh, validLogin, cookieMode } = deps;

  const authorized: Fetch = async (input, init) => {
    // `fetch(url, request)` takes the members of the request as options.
    if (isRequest(init)) {
      return authorized(new Request(isRequest(input) ? input : new URL(input, baseUrl), init));
    }
    const request = isRequest(input) ? input : undefined;
    const url = new URL(request?.url ?? String(input), baseUrl);
    const target = request ?? url;
    const {
      method = request?.method ?? 'GET',
      signal = request?.signal,
      // The `same-origin` of a `Request` may be the default, so only `include` counts as the caller's choice.
      credentials = request?.credentials === 'include' ? 'include' : 'omit',
    } = init ?? {};
    const headers = new Headers(init?.headers ?? request?.headers);
    // A caller that sets `authorization` sends its own token.
    if (!origins.has(url.origin) || headers.has('authorization')) return fetch(target, init);

    const login = await unlessAborted(signal, validLogin);
    if (!login && !cookieMode) return fetch(target, init);
    // A request can be sent only once: send a copy, and keep the original for the second attempt.
    const response = await send(request?.clone() ?? url, login);
    if (!login || !(await isTokenRejected(response))) return response;

    const renewed = await unlessAborted(signal, () => refresh(login.stamp));
    // If another user has logged in during the refresh, the request must not be repeated with that login.
    if (renewed?.session.userId !== login.session.userId || isStream(init?.body)) return response;
    void response.body?.cancel();
    return send(target, renewed);

    function send(input: FetchInput, sender: StoredLogin | null): Promise<Response> {
      if (!cookieMode) headers.set('authorization', `Bearer ${sender?.accessToken}`);
      // Not for a GET: the server does not require the header, and it would cost a preflight to another origin.
      else if (method !== 'GET') requestCookies(headers);
      return fetch(input, {
        ...init,
        // In token mode, a cookie that remains from cookie mode would be a second credential.
        credentials: cookieMode ? 'include' : credentials,
        // A copy, because the app's `fetch` may add headers, and the second attempt must not have those of the first.
        headers: new Headers(headers),
      });
    }
  };
  return authorized;
}

/** Rejects when the caller aborts. The work continues because other callers may wait for it. */
function unlessAborted<Result>(
  signal: AbortSignal | null | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!signal) return work();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

function isRequest(input: unknown): input is Request {
  return 'url' in Object(input);
}

/** Whether the body can be sent only once. */
function isStream(body: unknown): boolean {
  return 'getReader' in Object(body) || Symbol.asyncIterator in Object(body);
}

/**
 * Whether the server rejects the token (RFC 6750 3.1). Reads the body too: scripts of another origin see the header
 * only if the server exposes it, and the header does not say `invalid_token` if a cookie has expired.
 */
async function isTokenRejected(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const reason = response.headers.get('www-authenticate') + (await response.clone().text());
  return /\binvalid_token\b/.test(reason);
}
