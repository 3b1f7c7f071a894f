import { describe, expect, it } from 'vitest';
import { LONGEST_PENDING_MS } from '../longest-pending.ts';
import { type LoginAge, type LoginStoreOutcome, storeLogin } from './store-login.ts';

/** A server that decides as the documentation of `storeLogin` requires. A call takes `eachWayMs` each way. */
class Server {
  nowMs = 1_000_000;
  revokedAllAtMs: number | null = null;
  eachWayMs = 20;
  calls = 0;

  readonly send = async (age: LoginAge): Promise<LoginStoreOutcome<string>> => {
    this.calls += 1;
    this.nowMs += this.eachWayMs;
    const outcome = this.#decide(age);
    this.nowMs += this.eachWayMs;
    return outcome;
  };

  #decide({ loginAgeMs, earliestBeginMs }: LoginAge): LoginStoreOutcome<string> {
    const { nowMs, revokedAllAtMs } = this;
    if (revokedAllAtMs === null) return { outcome: 'created', stored: 'session' };
    const latestMs = nowMs - loginAgeMs;
    if (latestMs <= revokedAllAtMs) return { outcome: 'stale_login' };
    const earliestMs = earliestBeginMs ?? latestMs - LONGEST_PENDING_MS;
    if (earliestMs > revokedAllAtMs) return { outcome: 'created', stored: 'session' };
    return { outcome: 'needs_retry', nowMs, tookMs: 2 * this.eachWayMs };
  }
}

/** How long ago the login began when it is sent, ms. */
const AUTHENTICATION_MS = 300;

describe('storing a login', () => {
  it('needs one round trip if the sessions of the user were never all revoked', async () => {
    const server = new Server();
    expect(await storeLogin(AUTHENTICATION_MS, server.send)).toEqual({
      outcome: 'created',
      stored: 'session',
    });
    expect(server.calls).toBe(1);
  });

  it('needs two round trips if all sessions were revoked just before the login began', async () => {
    const server = new Server();
    server.revokedAllAtMs = server.nowMs - AUTHENTICATION_MS - 50;
    expect(await storeLogin(AUTHENTICATION_MS, server.send)).toEqual({
      outcome: 'created',
      stored: 'session',
    });
    expect(server.calls).toBe(2);
  });

  it('rejects a login that began before a revocation, even if the call is slow', async () => {
    for (const eachWayMs of [0, 20, 5000]) {
      const server = new Server();
      server.eachWayMs = eachWayMs;
      // The login began before the revocation, and is sent 100 ms after it.
      server.revokedAllAtMs = server.nowMs - 100;
      expect(await storeLogin(AUTHENTICATION_MS, server.send)).toEqual({ outcome: 'stale_login' });
    }
  });

  it('keeps the best lower bound of the time of the login if a later round trip is slower', async () => {
    const ages: LoginAge[] = [];
    const durationsMs = [10, 500];
    let nowMs = 1000;
    const outcome = await storeLogin(0, async (age) => {
      ages.push(age);
      const tookMs = durationsMs.shift();
      if (tookMs === undefined) return { outcome: 'created', stored: null };
      nowMs += tookMs;
      return { outcome: 'needs_retry', nowMs, tookMs };
    });
    expect(outcome).toEqual({ outcome: 'created', stored: null });
    expect(ages).toEqual([
      { loginAgeMs: 0, earliestBeginMs: null },
      { loginAgeMs: 10, earliestBeginMs: 1000 },
      { loginAgeMs: 510, earliestBeginMs: 1000 },
    ]);
  });

  it('rejects the login as stale after five attempts that need a retry', async () => {
    let calls = 0;
    const outcome = await storeLogin(0, async () => {
      calls += 1;
      return { outcome: 'needs_retry', nowMs: 1000, tookMs: 1 };
    });
    expect([outcome, calls]).toEqual([{ outcome: 'stale_login' }, 5]);
  });
});
