/** Routes that share a tag of the OpenAPI description. */
export interface RouteGroup {
  readonly tag: string;
  readonly description: string;
  /** The prefixes of the paths of these routes. */
  readonly prefixes: readonly string[];
}

const ROUTE_GROUPS: readonly RouteGroup[] = [
  {
    tag: 'Tokens',
    description: 'A first-party login: tokens by password, refresh and MFA challenge.',
    prefixes: ['/token'],
  },
  {
    tag: 'Sessions',
    description: 'The logins of a user.',
    prefixes: ['/users/self/sessions'],
  },
  {
    tag: 'Second factor',
    description: 'The authenticator app of a user, and its recovery codes.',
    prefixes: ['/users/self/mfa'],
  },
  {
    tag: 'Personal access tokens',
    description:
      'Personal access tokens stand in for a login where nobody can type: in scripts and services.',
    prefixes: ['/users/self/pats'],
  },
  {
    tag: 'Webhooks',
    description:
      'Webhooks receive the events of an account, signed as in Standard Webhooks, and again after a failed attempt.',
    prefixes: ['/webhooks'],
  },
  {
    tag: 'Discovery',
    description: 'The metadata and the public keys of the issuer, and this description.',
    prefixes: ['/.well-known', '/openapi.json'],
  },
];

/** The group of a path, if it has one. */
export function groupOf(path: string): RouteGroup | undefined {
  return ROUTE_GROUPS.find(({ prefixes }) => prefixes.some((prefix) => path.startsWith(prefix)));
}

/** The groups of these paths, in the order of the description. */
export function groupsOf(paths: readonly string[]): readonly RouteGroup[] {
  return ROUTE_GROUPS.filter((group) => paths.some((path) => groupOf(path) === group));
}
