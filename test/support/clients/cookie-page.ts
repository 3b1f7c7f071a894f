import type { HttpResponse, RequestToSend } from '../../hosts/send-request.ts';
import { ISSUER } from '../apps/test-app.ts';
import { TEST_PASSWORD } from './users.ts';

export const ACCESS = '__Host-latchhook-access';
export const REFRESH = '__Host-latchhook-refresh';

/** What a page of the app says of its requests. */
export const OWN: Readonly<Record<string, string>> = {
  'latchhook-session': 'cookie',
  origin: ISSUER,
};

/** A page in a browser, which keeps the cookies that it is answered and sends them with every request. */
export interface CookiePage {
  /** By name. */
  readonly jar: Map<string, string>;
  /** With `headers` in place of {@link OWN}, and the cookies. */
  send(method: string, path: string, body?: object, headers?: HeaderFields): Promise<HttpResponse>;
  /** Logs Ada in, or another. */
  logIn(user?: string, fields?: object): Promise<HttpResponse>;
  /** Asks for new tokens by what is in the jar. */
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

/** What a browser sends of its cookies. */
export function cookieHeader(jar: ReadonlyMap<string, string>): string {
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** The values of its `Set-Cookie` headers. */
export function setCookies({ headers }: HttpResponse): readonly string[] {
  return [headers['set-cookie'] ?? []].flat();
}

/** Does what a `Set-Cookie` says. */
export function keepCookie(jar: Map<string, string>, setCookie: string): void {
  const [pair = '', ...attributes] = setCookie.split('; ');
  const at = pair.indexOf('=');
  if (attributes.includes('Max-Age=0')) jar.delete(pair.slice(0, at));
  else jar.set(pair.slice(0, at), pair.slice(at + 1));
}
