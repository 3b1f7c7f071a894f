import { errorOf, throwNetworkError } from './client-error.ts';
import { readJson } from './read-json.ts';
import type { RequestRoute } from './routes.ts';
import { OMITTING } from './token-endpoint.ts';

interface AnyRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/** @throws {ClientError} the route's errors, and those of the client's `fetch` */
export function createRequestRoute(fetch: typeof globalThis.fetch, baseUrl: string): RequestRoute {
  const request = async (route: string, asked: AnyRequest = {}): Promise<unknown> => {
    const { path = {}, query = {}, body } = asked;
    const [method = '', template = ''] = route.split(' ');
    const filled = template.replace(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(path[name] ?? ''),
    );
    const url = new URL(baseUrl + filled);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const content = body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    // In cookie mode `fetch` still includes them.
    const response = await fetch(url, { method, ...OMITTING, ...content }).catch(throwNetworkError);
    if (response.status === 204) return undefined;
    const answer = await readJson(response);
    if (!response.ok) throw errorOf(response, answer);
    return answer;
  };
  return request as RequestRoute;
}
