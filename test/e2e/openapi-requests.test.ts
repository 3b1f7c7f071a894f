import { expect } from 'vitest';
import { dereference, findMismatch } from '../support/clients/json-schema.ts';
import { managerOf, NEW_PAT, PATS } from '../support/clients/pat-calls.ts';
import { openapiOf } from '../support/clients/public-documents.ts';
import type { Fields } from '../support/clients/token-calls.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const LOGIN = { username: 'ada@example.com', password: TEST_PASSWORD };
const GUESS = { challenge: 'x', code: '123456' };

/** The errors of requests that are rejected for their fields. */
const REJECTED = ['invalid_request', 'invalid_scope', 'access_denied'];

/** An e-mail address of `chars` characters. */
const address = (chars: number) => `${'a'.repeat(chars - 6)}@b.com`;

/** Fields just within and just beyond each bound. */
const BOUNDS: readonly (readonly [string, string, object, accepted: Fields, rejected: Fields])[] = [
  ['a username', '/token', LOGIN, { username: address(254) }, { username: address(255) }],
  [
    'a password',
    '/token',
    LOGIN,
    { password: '\u{1f511}'.repeat(256) },
    { password: '\u{1f511}'.repeat(257) },
  ],
  ['an account', '/token', LOGIN, { account_id: 1 }, { account_id: 0 }],
  ['a code', '/token/challenge', GUESS, { code: 999_999 }, { code: 1_000_000 }],
  ['a code with zeros', '/token/challenge', GUESS, { code: 0 }, { code: -1 }],
  ['scopes', '/token/challenge', GUESS, { scopes: ['auth'] }, { scopes: ['root'] }],
  ['no scopes', '/token/challenge', GUESS, {}, { scopes: [] }],
  [
    'each scope once',
    '/token/challenge',
    GUESS,
    { scopes: ['user', 'admin'] },
    { scopes: ['user', 'user'] },
  ],
  ['a name', PATS, NEW_PAT, { name: '\u{1f511}'.repeat(100) }, { name: '\u{1f511}'.repeat(101) }],
  ['scopes that last', PATS, NEW_PAT, { scopes: ['internal', 'internal'] }, { scopes: ['auth'] }],
  ['some scopes', PATS, NEW_PAT, { scopes: ['user'] }, { scopes: [] }],
  ['the account of a token', PATS, NEW_PAT, { account_id: 1 }, { account_id: 0 }],
];

inEveryCell('the OpenAPI schema of requests', (test) => {
  test('has the bounds that the server enforces', async (app) => {
    const document = await openapiOf(app);
    const manager = await managerOf(app);
    for (const [what, path, usual, accepted, rejected] of BOUNDS) {
      const { content } = document.paths[path]?.['post']?.requestBody ?? {};
      const schema = content?.['application/json']?.schema ?? {};
      for (const [fields, isAccepted] of [
        [accepted, true],
        [rejected, false],
      ] as const) {
        const body = { ...usual, ...fields };
        const response = await manager.send('POST', path, body);
        const { error = 'none' } = JSON.parse(response.body);
        expect(REJECTED.includes(error), `${what}: ${error}`).toBe(!isAccepted);
        expect(findMismatch(schema, body, document) === null, what).toBe(isAccepted);
      }
    }
  });

  test('describes scopes and accounts for each grant', async (app) => {
    const document = await openapiOf(app);
    const { requestBody } = document.paths['/token']?.['post'] ?? {};
    const { schema } = requestBody?.content?.['application/json'] ?? {};
    const grants = schema?.anyOf ?? [];
    const [password, refresh] = grants.map((grant) => dereference(document, grant));
    expect(password?.properties?.['scopes']?.description).toContain('Default: user.');
    expect(refresh?.properties?.['scopes']?.description).toContain('Default: the granted scopes');
    expect(refresh?.properties?.['account_id']?.description).toContain('The account of the login');
    expect(password?.properties?.['username']?.format).toBe('idn-email');
  });
});
