/** By what a route is found. */
export interface RouteAddress {
  readonly method: string;
  /** Path below the mount. */
  readonly path: string;
}

/** What a method and a path come upon. */
export type RouteMatch<TRoute> =
  | { readonly outcome: 'found'; readonly route: TRoute }
  /** The path is ours, the method is none that it answers to; `allow` has those that it does. */
  | { readonly outcome: 'wrong_method'; readonly allow: readonly string[] }
  | { readonly outcome: 'not_ours' };

export interface RouteTable<TRoute> {
  /** Whether some route has this path, whatever the method. */
  owns(path: string): boolean;
  find(address: RouteAddress): RouteMatch<TRoute>;
}

/** The one place that knows how a path leads to a route: to the byte, since ours have nothing to decode. */
export function createRouteTable<TRoute extends RouteAddress>(
  routes: readonly TRoute[],
): RouteTable<TRoute> {
  const byPath = new Map<string, Map<string, TRoute>>();
  for (const route of routes) {
    const byMethod = byPath.get(route.path) ?? new Map<string, TRoute>();
    byPath.set(route.path, byMethod.set(route.method, route));
  }

  return {
    owns: (path) => byPath.has(path),
    find({ method, path }) {
      const byMethod = byPath.get(path);
      if (byMethod === undefined) return { outcome: 'not_ours' };
      // RFC 9110 9.3.2: HEAD is GET without the content, which the host leaves out.
      const route = byMethod.get(method === 'HEAD' ? 'GET' : method);
      if (route !== undefined) return { outcome: 'found', route };
      const allow = [...byMethod.keys()].flatMap((name) =>
        name === 'GET' ? ['GET', 'HEAD'] : [name],
      );
      return { outcome: 'wrong_method', allow };
    },
  };
}
