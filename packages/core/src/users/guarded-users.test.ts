import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { createCallGuard } from '../faults/call-guard.ts';
import { emitFaultOf } from '../faults/emit-fault-of.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { guardedUsers } from './guarded-users.ts';
import type { User, UserStore } from './users.ts';

const ada: User = { id: 'ada', passwordHash: null, accounts: [1] };
const adaWithAllFields: User = {
  id: 'ada',
  passwordHash: '$argon2id$',
  accounts: [1, 2],
  scopes: ['user', 'admin'],
  disabled: false,
  mfa: { totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' },
  passwordChangedAtMs: 1_700_000_000_000,
};

/** A guarded user store that resolves every call to `result`. */
function guarded(result: unknown) {
  const faults: SecurityEvent[] = [];
  const emit = (event: SecurityEvent) => void faults.push(event);
  const resolve = async () => result as never;
  const users = guardedUsers(
    {
      findByUsername: resolve,
      findById: resolve,
      replacePasswordHash: resolve,
      consumeRecoveryCode: resolve,
    },
    builtInScopes,
    'integer',
    createCallGuard('user_store', {
      onFault: (rejection) => emitFaultOf(rejection, emit),
    }),
    emit,
  );
  return { users, faults };
}

/** The reason of the fault for a malformed row. */
async function reasonOf(row: object): Promise<string | undefined> {
  const error = await guarded(row)
    .users.findById('ada')
    .catch((thrown: unknown) => thrown);
  return error instanceof AuthError ? error.details.reason : undefined;
}

describe('a user of the user store', () => {
  it.each<[what: string, user: object]>([
    ['it has only the required fields', ada],
    ['it has all fields', adaWithAllFields],
    ['its optional fields are null', { ...ada, scopes: null, disabled: null, mfa: null }],
    ['its password was never changed', { ...ada, passwordChangedAtMs: null }],
    ['`disabled` is the number 1', { ...ada, disabled: 1 }],
    ['its id has 255 bytes', { ...ada, id: 'é'.repeat(127).concat('e') }],
  ])('is returned unchanged if %s', async (_, user) => {
    const { users } = guarded(user);
    expect(await users.findById('ada')).toBe(user);
    expect(await users.findByUsername('ada@example.com')).toBe(user);
  });

  it.each([null, undefined])('is null if the store returns %j', async (result) => {
    expect(await guarded(result).users.findById('ada')).toBeNull();
  });

  it.each<[field: string, change: object]>([
    ['id', { id: 7 }],
    ['id', { id: '' }],
    ['id', { id: 'é'.repeat(128) }],
    ['id', { id: 'a\ud800' }],
    ['passwordHash', { passwordHash: undefined }],
    ['passwordHash', { passwordHash: Buffer.from('$argon2id$') }],
    ['accounts', { accounts: undefined }],
    ['accounts', { accounts: '1,2' }],
    ['accounts', { accounts: ['1'] }],
    ['accounts', { accounts: [1.5] }],
    ['scopes', { scopes: 'user,admin' }],
    ['scopes', { scopes: ['user', 'root'] }],
    ['scopes', { scopes: ['user', 7] }],
    ['disabled', { disabled: 'false' }],
    ['disabled', { disabled: new Date() }],
    ['mfa.totpSecret', { mfa: true }],
    ['mfa.totpSecret', { mfa: '' }],
    ['mfa.totpSecret', { mfa: false }],
    ['passwordChangedAtMs', { passwordChangedAtMs: '2026-11-20T00:00:00Z' }],
    ['passwordChangedAtMs', { passwordChangedAtMs: new Date() }],
    ['passwordChangedAtMs', { passwordChangedAtMs: Number.NaN }],
  ])('causes a fault of the user store if its %s is invalid: %j', async (field, change) => {
    const { users } = guarded({ ...ada, ...change });
    for (const lookUp of [users.findById('ada'), users.findByUsername('ada@example.com')]) {
      const error = await lookUp.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(AuthError);
      expect(error).toMatchObject({
        code: 'server_error',
        details: { where: 'user_store', reason: expect.stringContaining(`\`${field}\``) },
      });
    }
  });

  it('with an unknown scope causes a fault that names at most 64 characters of the scope', async () => {
    expect(await reasonOf({ ...ada, scopes: ['user', 'billing:read'] })).toBe(
      'the user store answered a malformed user "ada": `scopes` has "billing:read": add it to the option `scopes`, or take it from the user',
    );
    const reason = await reasonOf({ ...ada, scopes: ['x'.repeat(10_000)] });
    expect(reason).toContain(` "${'x'.repeat(64)}": `);
  });

  it('is named in the fault only by its id', async () => {
    const hidden = { passwordHash: 'hidden', username: 'hidden', mfa: 'hidden' };
    const reason = await reasonOf({ ...hidden, id: 'ada "the first"\n', accounts: [1] });
    expect(reason).toBe(
      'the user store answered a malformed user "ada \\"the first\\"\\n": `mfa` must be an object with `mfa.totpSecret`, or null where there is none',
    );
    for (const id of [7, null, undefined, '', 'x'.repeat(256), { hidden: true }]) {
      const reasonWithoutId = await reasonOf({ ...hidden, id, accounts: [1] });
      expect(reasonWithoutId).toMatch(/^the user store answered a malformed user: `id` must be /);
    }
  });
});

it.each(['ada', 7, true, []])(
  'the user store is at fault (server_error) if it returns %j instead of a user object',
  async (row) => {
    await expect(guarded(row).users.findById('ada')).rejects.toMatchObject({
      code: 'server_error',
    });
  },
);

describe('a second factor of the user store', () => {
  it.each<[what: string, mfa: object]>([
    ['is no text', {}],
    ['is no text', { totpSecret: Buffer.alloc(20) }],
    ['has characters that base32 does not have', { totpSecret: 'not base32 !' }],
    ['has 8 letters', { totpSecret: 'GEZD GNBV' }],
    ['has 0 letters', { totpSecret: '' }],
  ])('that %s causes a fault with the id of the user at each look-up: %j', async (mistake, mfa) => {
    const { users, faults } = guarded({ ...ada, mfa });
    const foundUsers = [await users.findById('ada'), await users.findByUsername('ada@example.com')];
    // The user is returned unchanged, so that a wrong password gets the same response as for other users.
    expect(foundUsers).toEqual([
      { ...ada, mfa },
      { ...ada, mfa },
    ]);
    const message = expect.stringContaining(`\`mfa.totpSecret\` of the user "ada" ${mistake}`);
    const fault = { type: 'fault', where: 'user_store', error: { message } };
    expect(faults).toMatchObject([fault, fault]);
    expect(String(faults.map((event) => 'error' in event && event.error))).not.toMatch(
      /GEZD|not base32/,
    );
  });

  it('causes no fault if it is grouped, padded, short or in lower case', async () => {
    const { users, faults } = guarded({ ...ada, mfa: { totpSecret: 'gezd gnbv gy3t-qojq ====' } });
    expect(await users.findById('ada')).not.toBeNull();
    expect(faults).toEqual([]);
  });
});

describe('a write of the user store', () => {
  const change = { expected: 'old', replacement: 'new' };

  it.each([true, false])('passes on the result %j', async (result) => {
    const { users, faults } = guarded(result);
    expect(await users.consumeRecoveryCode?.('ada', 'A')).toBe(result);
    expect(await users.replacePasswordHash?.('ada', change)).toBe(result);
    expect(faults).toEqual([]);
  });

  it.each([undefined, 1, { rowCount: 0 }])(
    'causes a fault if it resolves to %j',
    async (result) => {
      const { users, faults } = guarded(result);
      const rejection = { code: 'temporarily_unavailable' };
      await expect(users.consumeRecoveryCode?.('ada', 'A')).rejects.toMatchObject(rejection);
      await expect(users.replacePasswordHash?.('ada', change)).rejects.toMatchObject(rejection);
      expect(faults).toMatchObject([
        { type: 'fault', where: 'user_store' },
        { type: 'fault', where: 'user_store' },
      ]);
    },
  );

  it('is absent if the user store does not have it', () => {
    const { findById, findByUsername } = guarded(null).users;
    const users = guardedUsers(
      { findById, findByUsername },
      builtInScopes,
      'integer',
      (call) => call(),
      () => {},
    );
    expect(Object.keys(users)).toEqual(['findByUsername', 'findById']);
  });

  it('may be a method of a class', async () => {
    class HostUserStore implements UserStore {
      readonly #codes = new Set(['A']);
      findById = async () => ada;
      findByUsername = async () => ada;
      async consumeRecoveryCode(_userId: string, code: string): Promise<boolean> {
        return this.#codes.delete(code);
      }
    }
    const users = guardedUsers(
      new HostUserStore(),
      builtInScopes,
      'integer',
      (call) => call(),
      () => {},
    );
    expect(await users.consumeRecoveryCode?.('ada', 'A')).toBe(true);
  });
});
