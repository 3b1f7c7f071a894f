import { errorOf, throwNetworkError } from './client-error.ts';
import { readJson } from './read-json.ts';
import type { RequestRoute } from './routes.ts';

interface AnyRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/** @throws {ClientError} the route's errors, and those of the client's `fetch` */
export function createRequestRoute(fetch: typeof globalThis.fetch, baseUrl: string): RequestRoute {
  const request = async (
    route: string,
    { path = {}, query = {}, body }: AnyRequest = {},
  ): Promise<unknown> => {
    const [method, template] = route.split(' ') as [string, string];
    // An id that is empty, `.` or `..` would vanish from the path: the request could end all sessions instead of one.
    const pathname = template.replace(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(`${path[name]}`.replace(/^\.*$/, name)),
    );
    const url = new URL(baseUrl + pathname);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const content = body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    // In cookie mode the client's `fetch` replaces this by `include`.
    const response = await fetch(url, { method, credentials: 'omit', ...content }).catch(
      throwNetworkError,
    );
    if (response.status === 204) return undefined;
    const data = await readJson(response);
    if (!response.ok) throw errorOf(response, data);
    return data;
  };
  return request as RequestRoute;
}
