import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type Auth, createAuth, memoryStorage } from '@latchhook/core';
import { TEST_PASSWORD, testUsers } from '../support/clients/users.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';

/** One auth with its sessions, shared by all hosts of a framework. */
export interface Fixture {
  readonly auth: Auth;
  /** An access token of Ada, with scope `user`. */
  readonly accessToken: string;
  /** An access token of Ada, with scopes `user` and `internal`. */
  readonly internalToken: string;
  /** A personal access token of Ada, with scopes `user` and `internal`. */
  readonly personalToken: string;
  readonly refreshToken: string;
}

export async function makeFixture(): Promise<Fixture> {
  // The clock is frozen, so a refresh token always gets the same successor.
  const clock = { nowMs: () => Date.UTC(2026, 10, 20) };
  const auth = createAuth({
    issuer: 'https://api.example.com',
    users: await testUsers(),
    storage: memoryStorage({ clock }),
    keys: {
      signing: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      refreshSecrets: [randomBytes(32)],
      encryption: [randomBytes(32)],
    },
    webhooks: { worker: handDelivery() },
    clock,
    throttle: false,
    environment: 'development',
    onSecurityEvent: () => {},
  });
  const ada = await logIn(auth, 'user');
  const internal = await logIn(auth, 'user,internal');
  const manager = await logIn(auth, 'auth');
  return {
    auth,
    accessToken: ada.access_token,
    internalToken: internal.access_token,
    personalToken: await makePersonalToken(auth, manager.access_token),
    refreshToken: ada.refresh_token,
  };
}

interface TokenBody {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function logIn(auth: Auth, scopes: string): Promise<TokenBody> {
  const login = { username: 'ada@example.com', password: TEST_PASSWORD, scopes };
  return JSON.parse(await post(auth, '/token', login));
}

async function makePersonalToken(auth: Auth, accessToken: string): Promise<string> {
  const fields = { name: 'a script', scopes: ['user', 'internal'] };
  return JSON.parse(await post(auth, '/users/self/pats', fields, `Bearer ${accessToken}`)).token;
}

/** Posts to the routes directly, without a host. */
async function post(
  auth: Auth,
  path: string,
  value: object,
  authorization?: string,
): Promise<string> {
  const { status, body } = await auth.http.handle({
    method: 'POST',
    path,
    mountPath: '',
    query: '',
    headers: { 'content-type': 'application/json' },
    authorization,
    body: { kind: 'parsed', value },
    remoteAddress: undefined,
  });
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${body}`);
  return body;
}
