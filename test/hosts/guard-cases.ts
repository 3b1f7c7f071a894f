import type { Scene } from './scene.ts';

/** A request for a route of the host's own that stands behind `requireAuth`. */
export interface GuardCase {
  readonly claim: string;
  readonly path: string;
  /** Values of `Authorization`, each a header of its own. */
  readonly authorization: (scene: Scene) => readonly string[];
  readonly status: number;
  /** What the body holds, among other things. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Begin of `WWW-Authenticate`; absent: there must be none. */
  readonly challenge?: string;
}

const user = ({ accessToken }: Scene): readonly string[] => [`Bearer ${accessToken}`];
const personal = ({ personalToken }: Scene): readonly string[] => [`Bearer ${personalToken}`];
const internal = ({ internalToken }: Scene): readonly string[] => [`Bearer ${internalToken}`];

const INVALID_TOKEN = {
  status: 401,
  body: { error: 'invalid_token' },
  challenge: 'Bearer error="invalid_token"',
};

const FOREIGN_ACCOUNT = {
  status: 403,
  body: { error: 'access_denied' },
  challenge: 'Bearer error="insufficient_scope"',
};

export const guardCases: readonly GuardCase[] = [
  {
    claim: 'asks for a token',
    path: '/me',
    authorization: () => [],
    ...INVALID_TOKEN,
    challenge: 'Bearer',
  },
  {
    claim: 'refuses a token that is none of ours',
    path: '/me',
    authorization: () => ['Bearer made.up.token'],
    ...INVALID_TOKEN,
  },
  {
    claim: 'refuses two tokens, of which a proxy may have judged the other',
    path: '/me',
    authorization: (scene) => [...user(scene), ...internal(scene)],
    ...INVALID_TOKEN,
  },
  {
    claim: 'lets a token pass, and says whose it is',
    path: '/me',
    authorization: user,
    status: 200,
    body: { user: 'ada' },
  },
  {
    claim: 'lets a token pass whose session had to be asked for',
    path: '/internal',
    authorization: internal,
    status: 200,
    body: {},
  },
  {
    claim: 'lets a personal access token pass, and says whose it is',
    path: '/me',
    authorization: personal,
    status: 200,
    body: { user: 'ada' },
  },
  {
    claim: 'lets a personal access token pass by its scopes',
    path: '/internal',
    authorization: personal,
    status: 200,
    body: {},
  },
  {
    claim: 'refuses what only looks like a personal access token',
    path: '/me',
    authorization: (scene) => personal(scene).map((header) => `${header}0`),
    ...INVALID_TOKEN,
  },
  {
    claim: 'refuses a token that lacks a scope',
    path: '/internal',
    authorization: user,
    status: 403,
    body: { error: 'insufficient_scope' },
    challenge: 'Bearer error="insufficient_scope", scope="user internal"',
  },
  {
    claim: "lets a token pass for an account of the user's",
    path: '/accounts/2',
    authorization: user,
    status: 200,
    body: { account: 2 },
  },
  {
    claim: 'refuses a token for the account of somebody else',
    path: '/accounts/3',
    authorization: user,
    ...FOREIGN_ACCOUNT,
  },
  {
    claim: 'stays closed where the path names no account',
    path: '/accounts/all',
    authorization: user,
    ...FOREIGN_ACCOUNT,
  },
  {
    claim: 'stays closed where the host cannot say which account',
    path: '/unnamed',
    authorization: user,
    ...FOREIGN_ACCOUNT,
  },
];
