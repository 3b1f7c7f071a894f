import { matchSegments, type PathParams, paramNames } from './path-pattern.ts';

/** The method and the path by which a route is found. */
export interface RouteAddress {
  readonly method: string;
  /** Path below the mount. A segment in braces is a parameter: `/webhooks/{id}`. */
  readonly path: string;
}

/** The result of looking up a method and a path. */
export type RouteMatch<TRoute> =
  | { readonly outcome: 'found'; readonly route: TRoute; readonly params: PathParams }
  /** A route has the path, but no route has the method too; `allow` lists the methods of the path. */
  | { readonly outcome: 'wrong_method'; readonly allow: readonly string[] }
  | { readonly outcome: 'not_ours' };

export interface RouteTable<TRoute> {
  /** Whether some route has this path, for any method. */
  owns(path: string): boolean;
  /** The declared template of a path, such as `/webhooks/{id}`; `undefined` if no route has the path. */
  routeOf(path: string): string | undefined;
  find(address: RouteAddress): RouteMatch<TRoute>;
}

/** The routes of one path, by method. */
type ByMethod<TRoute> = Map<string, TRoute>;

/** A declared path with parameters, and its segments. */
interface Pattern<TRoute> {
  readonly path: string;
  readonly segments: readonly string[];
  readonly byMethod: ByMethod<TRoute>;
}

interface PathMatch<TRoute> {
  /** The declared path. */
  readonly path: string;
  readonly byMethod: ByMethod<TRoute>;
  readonly params: PathParams;
}

const NO_PARAMS: PathParams = Object.freeze({});

/**
 * Matches paths to routes, byte for byte, because neither the paths nor the ids of Latchhook need decoding. A path
 * without parameters takes precedence over a path with parameters.
 *
 * Every request of the host is matched. If its path is not one of Latchhook's, that costs one or two look-ups in a map.
 */
export function createRouteTable<TRoute extends RouteAddress>(
  routes: readonly TRoute[],
): RouteTable<TRoute> {
  const byPath = new Map<string, ByMethod<TRoute>>();
  for (const route of routes) {
    const byMethod = byPath.get(route.path) ?? new Map<string, TRoute>();
    byPath.set(route.path, byMethod.set(route.method, route));
  }
  /** The paths with parameters, by their first segment (with its slash), which is never a parameter. */
  const patterns = new Map<string, Pattern<TRoute>[]>();
  for (const [path, byMethod] of byPath) {
    if (paramNames(path).length === 0) continue;
    // A path with braces must not match literally.
    byPath.delete(path);
    const firstSegment = path.slice(0, path.indexOf('/', 1));
    const siblings = patterns.get(firstSegment) ?? [];
    patterns.set(firstSegment, [...siblings, { path, segments: path.split('/'), byMethod }]);
  }

  return {
    owns: (path) => byPath.has(path) || findPattern(path) !== undefined,
    routeOf: (path) => matchPath(path)?.path,
    find({ method, path }) {
      const match = matchPath(path);
      if (match === undefined) return { outcome: 'not_ours' };
      const { byMethod, params } = match;
      // RFC 9110 9.3.2: HEAD is GET without the content, which the host leaves out.
      const route = byMethod.get(method === 'HEAD' ? 'GET' : method);
      if (route !== undefined) return { outcome: 'found', route, params };
      const allow = [...byMethod.keys()].flatMap((name) =>
        name === 'GET' ? ['GET', 'HEAD'] : [name],
      );
      return { outcome: 'wrong_method', allow };
    },
  };

  function matchPath(path: string): PathMatch<TRoute> | undefined {
    const byMethod = byPath.get(path);
    return byMethod === undefined ? findPattern(path) : { path, byMethod, params: NO_PARAMS };
  }

  function findPattern(path: string): PathMatch<TRoute> | undefined {
    const end = path.indexOf('/', 1);
    if (end === -1) return undefined;
    const candidates = patterns.get(path.slice(0, end));
    if (candidates === undefined) return undefined;
    const segments = path.split('/');
    for (const { path: template, segments: pattern, byMethod } of candidates) {
      const params = matchSegments(pattern, segments);
      if (params !== undefined) return { path: template, byMethod, params };
    }
    return undefined;
  }
}
