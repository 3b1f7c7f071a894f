import { describe, expect, it } from 'vitest';
import { resolvePasswords } from '../options/resolve-passwords.ts';
import type { AnyUser } from '../users/users.ts';
import { createHashLimiter } from './hash-limiter.ts';
import {
  ADDRESS,
  block,
  countingVerifier,
  PASSWORD,
  userWith,
} from './password-fixture.test.support.ts';
import { createPasswordVerifier } from './password-verifier.ts';

describe("the host's own verifier", () => {
  /** Accepts `PASSWORD`, and records the ids of the users that it was called with. */
  function hostVerifier() {
    const userIds: (string | null)[] = [];
    const verifier = async (user: AnyUser | null, password: string) => {
      userIds.push(user?.id ?? null);
      return password === PASSWORD;
    };
    return { userIds, verifier };
  }

  it('decides without argon2id, stored hash or rehash', async () => {
    const { runs, verifier } = countingVerifier(hostVerifier());
    expect(await verifier.verify(userWith(null), PASSWORD, ADDRESS)).toEqual({
      outcome: 'match',
      needsRehash: false,
    });
    expect(await verifier.verify(userWith(null), 'wrong', ADDRESS)).toEqual({
      outcome: 'mismatch',
      reason: 'wrong_password',
    });
    expect(runs).toHaveLength(0);
  });

  it('is called with null for unknown and disabled users, and its result is ignored', async () => {
    const host = hostVerifier();
    const { verifier } = countingVerifier(host);
    const disabled = userWith(null, { disabled: true });
    expect(await verifier.verify(null, PASSWORD, ADDRESS)).toMatchObject({
      reason: 'unknown_user',
    });
    expect(await verifier.verify(disabled, PASSWORD, ADDRESS)).toMatchObject({
      reason: 'disabled',
    });
    expect(host.userIds).toEqual([null, null]);
  });

  it('accepts a password only by returning `true`', async () => {
    const truthy = JSON.parse('{"ok":false}');
    const { verifier } = countingVerifier({ verifier: async () => truthy });
    expect(await verifier.verify(userWith(null), PASSWORD, ADDRESS)).toMatchObject({
      outcome: 'mismatch',
    });
  });

  it('is limited by the hash limiter, unless limitConcurrency is false', async () => {
    const limiter = createHashLimiter({ concurrency: 1, maxWaitMs: 0 });
    const unblock = block(limiter);
    const limited = createPasswordVerifier(resolvePasswords(hostVerifier()), { limiter });
    const unlimited = createPasswordVerifier(
      resolvePasswords({ ...hostVerifier(), limitConcurrency: false }),
      { limiter },
    );
    expect(await limited.verify(userWith(null), PASSWORD, ADDRESS)).toMatchObject({
      outcome: 'shed',
    });
    expect(await unlimited.verify(userWith(null), PASSWORD, ADDRESS)).toMatchObject({
      outcome: 'match',
    });
    await unblock();
  });

  it('makes verify() reject with its own error', async () => {
    const fault = new Error('LDAP is down');
    const { verifier } = countingVerifier({ verifier: () => Promise.reject(fault) });
    await expect(verifier.verify(userWith(null), PASSWORD, ADDRESS)).rejects.toBe(fault);
  });
});
