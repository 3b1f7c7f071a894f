import type { Fixture } from './fixture.ts';

/** A request for a route of the host that `requireAuth` guards. */
export interface GuardCase {
  readonly claim: string;
  readonly path: string;
  /** Values of `Authorization`, one for each header. */
  readonly authorization: (fixture: Fixture) => readonly string[];
  readonly status: number;
  /** Fields that the body contains. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The beginning of `WWW-Authenticate`; absent: there must be no such header. */
  readonly challenge?: string;
}

const user = ({ accessToken }: Fixture): readonly string[] => [`Bearer ${accessToken}`];
const personal = ({ personalToken }: Fixture): readonly string[] => [`Bearer ${personalToken}`];
const internal = ({ internalToken }: Fixture): readonly string[] => [`Bearer ${internalToken}`];

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
    claim: 'responds with 401 without a token',
    path: '/me',
    authorization: () => [],
    ...INVALID_TOKEN,
    challenge: 'Bearer',
  },
  {
    claim: 'rejects a forged token',
    path: '/me',
    authorization: () => ['Bearer made.up.token'],
    ...INVALID_TOKEN,
  },
  {
    claim: 'rejects two Authorization headers',
    path: '/me',
    authorization: (fixture) => [...user(fixture), ...internal(fixture)],
    ...INVALID_TOKEN,
  },
  {
    claim: 'accepts a token and passes its user to the handler',
    path: '/me',
    authorization: user,
    status: 200,
    body: { user: 'ada' },
  },
  {
    claim: 'accepts a token with scope internal whose session is live',
    path: '/internal',
    authorization: internal,
    status: 200,
    body: {},
  },
  {
    claim: 'accepts a personal access token and passes its user to the handler',
    path: '/me',
    authorization: personal,
    status: 200,
    body: { user: 'ada' },
  },
  {
    claim: 'accepts a personal access token by its scopes',
    path: '/internal',
    authorization: personal,
    status: 200,
    body: {},
  },
  {
    claim: 'rejects a fake personal access token',
    path: '/me',
    authorization: (fixture) => personal(fixture).map((header) => `${header}0`),
    ...INVALID_TOKEN,
  },
  {
    claim: 'rejects a token that lacks a scope',
    path: '/internal',
    authorization: user,
    status: 403,
    body: { error: 'insufficient_scope' },
    challenge: 'Bearer error="insufficient_scope", scope="user internal"',
  },
  {
    claim: 'accepts a token for an account of the user',
    path: '/accounts/2',
    authorization: user,
    status: 200,
    body: { account: 2 },
  },
  {
    claim: 'rejects a token for a foreign account',
    path: '/accounts/3',
    authorization: user,
    ...FOREIGN_ACCOUNT,
  },
  {
    claim: 'rejects a path without an account',
    path: '/accounts/all',
    authorization: user,
    ...FOREIGN_ACCOUNT,
  },
  {
    claim: 'rejects a request whose account the host cannot determine',
    path: '/unnamed',
    authorization: user,
    ...FOREIGN_ACCOUNT,
  },
];
