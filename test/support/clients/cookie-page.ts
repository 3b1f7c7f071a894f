import type { HttpResponse, RequestToSend } from '../../hosts/send-request.ts';
import { ISSUER } from '../apps/test-app.ts';
import { TEST_PASSWORD } from './users.ts';

export const ACCESS = '__Host-latchhook-access';
export const REFRESH = '__Host-latchhook-refresh';

/** The headers of a request by a page of the app. */
export const OWN: Readonly<Record<string, string>> = {
  'latchhook-session': 'cookie',
  origin: ISSUER,
};

/** A page in a browser, which stores the cookies of responses and sends them with every request. */
export interface CookiePage {
  /** The values of the cookies by name. */
  readonly jar: Map<string, string>;
  /** Sends a request with the cookies and `headers`; default: {@link OWN}. */
  send(method: string, path: string, body?: object, headers?: HeaderFields): Promise<HttpResponse>;
  /** Logs in a user; default: Ada. */
  logIn(user?: string, fields?: object): Promise<HttpResponse>;
  /** Refreshes by the cookies in the jar. */
  refresh(headers?: HeaderFields): Promise<HttpResponse>;
}

export type HeaderFields = Readonly<Record<string, string>>;

export function openCookiePage(
  sendTo: (request: RequestToSend) => Promise<HttpResponse>,
): CookiePage {
  const jar = new Map<string, string>();
  const page: CookiePage = {
    jar,
    async send(method, path, body, headers = OWN) {
      const cookie = cookieHeader(jar);
      const all = {
        ...headers,
        ...(body && { 'content-type': 'application/json' }),
        ...(cookie && { cookie }),
      };
      const response = await sendTo({
        method,
        path,
        headers: Object.entries(all).flat(),
        ...(body && { body: JSON.stringify(body) }),
      });
      for (const value of setCookies(response)) keepCookie(jar, value);
      return response;
    },
    logIn: (user = 'ada', fields = {}) =>
      page.send('POST', '/token', {
        username: `${user}@example.com`,
        password: TEST_PASSWORD,
        ...fields,
      }),
    refresh: (headers = OWN) =>
      page.send('POST', '/token', { grant_type: 'refresh_token' }, headers),
  };
  return page;
}

/** The header `Cookie` of a browser. */
export function cookieHeader(jar: ReadonlyMap<string, string>): string {
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** The values of its `Set-Cookie` headers. */
export function setCookies({ headers }: HttpResponse): readonly string[] {
  return [headers['set-cookie'] ?? []].flat();
}

/** Applies a `Set-Cookie` to the jar. */
export function keepCookie(jar: Map<string, string>, setCookie: string): void {
  const [pair = '', ...attributes] = setCookie.split('; ');
  const at = pair.indexOf('=');
  if (attributes.includes('Max-Age=0')) jar.delete(pair.slice(0, at));
  else jar.set(pair.slice(0, at), pair.slice(at + 1));
}
