import type { Fixture } from './fixture.ts';

/** A request for a route of the host that `requireAuth` guards. */
export interface GuardCase {
  readonly title: string;
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
    title: 'rejects a request without a token',
    path: '/me',
    authorization: () => [],
    ...INVALID_TOKEN,
    challenge: 'Bearer',
  },
  {
    title: 'rejects a forged token',
    path: '/me',
    authorization: () => ['Bearer made.up.token'],
    ...INVALID_TOKEN,
  },
  {
    title: 'rejects two Authorization headers',
    path: '/me',
    authorization: (fixture) => [...user(fixture), ...internal(fixture)],
    ...INVALID_TOKEN,
  },
  {
    title: 'accepts a token and passes its user to the handler',
    path: '/me',
    authorization: user,
    status: 200,
    body: { user: 'ada' },
  },
  {
    title: 'accepts a token with the required scope internal, whose session is live',
    path: '/internal',
    authorization: internal,
    status: 200,
    body: {},
  },
  {
    title: 'accepts a personal access token and passes its user to the handler',
    path: '/me',
    authorization: personal,
    status: 200,
    body: { user: 'ada' },
  },
  {
    title: 'accepts a personal access token with the required scopes',
    path: '/internal',
    authorization: personal,
    status: 200,
    body: {},
  },
  {
    title: 'rejects a fake personal access token',
    path: '/me',
    authorization: (fixture) => personal(fixture).map((header) => `${header}0`),
    ...INVALID_TOKEN,
  },
  {
    title: 'rejects a token that lacks a required scope',
    path: '/internal',
    authorization: user,
    status: 403,
    body: { error: 'insufficient_scope' },
    challenge: 'Bearer error="insufficient_scope", scope="user internal"',
  },
  {
    title: 'accepts a request for an account that the user has',
    path: '/accounts/2',
    authorization: user,
    status: 200,
    body: { account: 2 },
  },
  {
    title: 'rejects a request for an account that the user does not have',
    path: '/accounts/3',
    authorization: user,
    ...FOREIGN_ACCOUNT,
  },
  {
    title: 'rejects a path whose account is not an account id',
    path: '/accounts/all',
    authorization: user,
    ...FOREIGN_ACCOUNT,
  },
  {
    title: 'rejects a request whose account the host cannot determine',
    path: '/unnamed',
    authorization: user,
    ...FOREIGN_ACCOUNT,
  },
];
