/** Routes that belong together: a tag of the OpenAPI description. */
export interface RouteGroup {
  readonly tag: string;
  readonly description: string;
  /** How their paths begin. */
  readonly begins: readonly string[];
}

const ROUTE_GROUPS: readonly RouteGroup[] = [
  {
    tag: 'Tokens',
    description: 'A first-party login: tokens by password, refresh and MFA challenge.',
    begins: ['/token'],
  },
  {
    tag: 'Sessions',
    description: 'The logins of a user.',
    begins: ['/users/self/sessions'],
  },
  {
    tag: 'Second factor',
    description: 'The authenticator app of a user, and its recovery codes.',
    begins: ['/users/self/mfa'],
  },
  {
    tag: 'Personal access tokens',
    description:
      'Personal access tokens stand in for a login where nobody can type: in scripts and services.',
    begins: ['/users/self/pats'],
  },
  {
    tag: 'Webhooks',
    description:
      'Webhooks are sent what happens in an account, signed as Standard Webhooks has it, and again where it was not taken.',
    begins: ['/webhooks'],
  },
  {
    tag: 'Discovery',
    description: 'Documents that clients and other services find the rest by.',
    begins: ['/.well-known', '/openapi.json'],
  },
];

/** The group of a path, if it has one. */
export function groupOf(path: string): RouteGroup | undefined {
  return ROUTE_GROUPS.find(({ begins }) => begins.some((begin) => path.startsWith(begin)));
}

/** The groups of these paths, in their order. */
export function groupsOf(paths: readonly string[]): readonly RouteGroup[] {
  return ROUTE_GROUPS.filter((group) => paths.some((path) => groupOf(path) === group));
}
