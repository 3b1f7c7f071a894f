import type { Refresh } from './refresher.ts';
import type { StoredLogin } from './stored-login.ts';

export type Fetch = typeof globalThis.fetch;
type FetchInput = Parameters<Fetch>[0];

export interface AuthorizedFetchDeps {
  readonly fetch: Fetch;
  readonly baseUrl: string;
  /** Where the token may be sent. */
  readonly origins: ReadonlySet<string>;
  readonly refresh: Refresh;
  /** The login with a token that is good now; null if logged out. */
  readonly goodLogin: () => Promise<StoredLogin | null>;
}

/** `fetch` as the user who is logged in. */
export function createAuthorizedFetch(deps: AuthorizedFetchDeps): Fetch {
  const { fetch, baseUrl, origins, refresh, goodLogin } = deps;

  return async (input, init) => {
    const given = isRequest(input) ? input : undefined;
    const url = new URL(given?.url ?? String(input), baseUrl);
    const target = given ?? url;
    const headers = new Headers(init?.headers ?? given?.headers);
    // A token of the caller's own is the caller's business.
    if (!origins.has(url.origin) || headers.has('authorization')) return fetch(target, init);

    const login = await goodLogin();
    if (login === null) return fetch(target, init);
    // A request can be sent once. The copy keeps its body for a second time.
    const first = given?.clone() ?? url;
    const response = await send(first, login);
    if (!(await isTokenRefused(response))) return response;

    const renewed = await refresh(login.accessToken);
    // Not in the name of somebody else who has logged in meanwhile.
    if (renewed?.session.userId !== login.session.userId || isStream(init?.body)) return response;
    void response.body?.cancel();
    return send(target, renewed);

    function send(to: FetchInput, { accessToken }: StoredLogin): Promise<Response> {
      headers.set('authorization', `Bearer ${accessToken}`);
      return fetch(to, { ...init, headers });
    }
  };
}

function isRequest(input: FetchInput): input is Request {
  return typeof input === 'object' && 'url' in input;
}

/** Whether a body is read as it is sent, and so is gone after that. */
function isStream(body: unknown): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    ('getReader' in body || Symbol.asyncIterator in body)
  );
}

/** RFC 6750 3.1. Scripts of another origin see the header only where the server exposes it, but always the body. */
async function isTokenRefused(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const reason = response.headers.get('www-authenticate') ?? (await response.clone().text());
  return /\binvalid_token\b/.test(reason);
}
