import { expect } from 'vitest';
import { expectError } from '../support/clients/expect-error.ts';
import { errorOf, logIn, refresh, revoke, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

/*
 * Input that has broken other servers. Input for a single field is tested with that field: scopes in
 * post-token-password-scopes, lifetimes and accounts in post-token-password-fields, codes in token-challenge-codes,
 * forged tokens and headers in bearer, addresses in throttling.
 */

/** Usernames that are malformed, or too long. */
const USERNAMES: Readonly<Record<string, string>> = {
  '255 characters': `${'a'.repeat(243)}@example.com`,
  'a line break': 'ada@example.com\r\nX: y',
  'a NUL': 'ada@example.com\u0000',
  'a tab': 'ada\t@example.com',
  'a fullwidth @': 'ada\uff20example.com',
  'two @': 'ada@evil.example@example.com',
  'a direction override': 'ada\u202e@example.com',
  'a zero-width space': 'ada\u200b@example.com',
  'a no-break space': 'ada\u00a0@example.com',
  'a lone surrogate': 'ada\ud800@example.com',
  'ten thousand labels': `a@${'a.'.repeat(5000)}`,
  'spaces around it': ' ada@example.com ',
};

/** Passwords that nobody can have. */
const PASSWORDS: Readonly<Record<string, string>> = {
  '257 characters': 'x'.repeat(257),
  '1,025 bytes': '\u{1f40e}'.repeat(257),
  'a lone surrogate': '\ud800x',
  'an empty string': '',
};

inEveryCell('a login with an unusual username', (test) => {
  test('gets 400 with the field username if it is malformed', async (app) => {
    for (const [what, username] of Object.entries(USERNAMES)) {
      const response = await logIn(app, '', { username });
      expectError(response, 400, 'invalid_request');
      expect(errorOf(response).errors, what).toMatchObject([{ field: 'username' }]);
    }
  });

  test('does not match a Kelvin sign with a k', async (app) => {
    const response = await logIn(app, '', { username: '\u212aurt@example.com' });
    expectError(response, 400, 'invalid_grant');
  });
});

inEveryCell('a login with an unusual password', (test) => {
  test('gets 400 before the user is looked up if nobody can have the password', async (app) => {
    for (const [what, password] of Object.entries(PASSWORDS)) {
      const known = await logIn(app, 'ada', { password });
      expectError(known, 400, 'invalid_request');
      expect((await logIn(app, 'nobody', { password })).body, what).toBe(known.body);
      expect(app.events).toEqual([]);
    }
  });
});

inEveryCell('malformed tokens', (test) => {
  const tokens = (real: string): readonly string[] => [
    '',
    '\u0000',
    `${real}\n`,
    ` ${real}`,
    real.toUpperCase(),
    `${real}=`,
    real.replaceAll('-', '+').replaceAll('_', '/'),
    real.slice(0, -1),
    real + real,
    'lh_rt_',
    `lh_rt_${'A'.repeat(16_000)}`,
    `lh_rt_${'\u{1f40e}'.repeat(100)}`,
    '../../etc/passwd',
    '{"$gt":""}',
  ];

  test('are rejected as refresh tokens', async (app) => {
    const { refresh_token } = await session(app);
    for (const token of tokens(refresh_token)) {
      expect([400], JSON.stringify(token)).toContain((await refresh(app, token)).status);
    }
    expect((await refresh(app, refresh_token)).status).toBe(200);
  });

  test('end no session when they are revoked', async (app) => {
    const { refresh_token } = await session(app);
    // White space around a pasted token is ignored.
    const others = tokens(refresh_token).filter((token) => token.trim() !== refresh_token);
    for (const token of others) {
      expect([200, 400]).toContain((await revoke(app, token)).status);
    }
    expect((await refresh(app, refresh_token)).status).toBe(200);
  });

  test('are rejected at a refresh if they are valid tokens of another kind', async (app) => {
    const { access_token } = await session(app);
    expectError(await refresh(app, access_token), 400, 'invalid_grant');
    const pat = `lh_pat_${'0'.repeat(36)}`;
    expectError(await refresh(app, pat), 400, 'invalid_grant');
  });
});
