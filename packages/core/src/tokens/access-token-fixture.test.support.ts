import { type KeyObject, sign } from 'node:crypto';
import { generateSigningKey } from '../keys/signing-key.ts';
import { createSigningKeys } from '../keys/signing-keys.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { DEFAULT_CLOCK_TOLERANCE } from './access-token.ts';

export const NOW_MS = Date.UTC(2027, 0, 1);
export const NOW_SECONDS = NOW_MS / 1000;
export const clock = { nowMs: () => NOW_MS };

export const identity = {
  issuer: 'https://api.example.com',
  audience: 'https://api.example.com',
  clientId: 'latchhook',
};

export const privateKey = generateSigningKey();
export const keys = createSigningKeys([privateKey], clock);
export const { kid } = keys.signingKey();
export const expected = {
  ...identity,
  keys,
  clock,
  tolerance: DEFAULT_CLOCK_TOLERANCE,
  scopeTable: builtInScopes,
  accountIdKind: 'integer',
} as const;

/** Claims of a valid token. */
export const goodClaims = {
  iss: identity.issuer,
  aud: identity.audience,
  sub: 'user-1',
  exp: NOW_SECONDS + 600,
  iat: NOW_SECONDS,
  jti: 'token-1',
  client_id: 'latchhook',
  scope: 'user',
  sid: 'session-1',
  accounts: [1],
  auth_time: NOW_SECONDS,
  amr: ['pwd'],
};
export const goodHeader = { alg: 'ES256', kid, typ: 'at+jwt' };

export function signingInput(header: object, payload: object): string {
  return [header, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
}

/** Signs any header and payload without a library, so that tests can make invalid tokens. */
export function forge(header: object, payload: object, key: KeyObject = privateKey): string {
  const input = signingInput(header, payload);
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}
