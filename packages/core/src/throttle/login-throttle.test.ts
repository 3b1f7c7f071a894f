import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_THROTTLE } from '../options/resolve-throttle.ts';
import { systemClock } from '../ports/clock.ts';
import { memoryLimiters } from '../storage/memory/memory-limiter.ts';
import { type AdmittedLogin, createLoginThrottle, type LoginThrottle } from './login-throttle.ts';

const HOME = '192.0.2.1';
const STRANGER = '198.51.100.7';
const DAY_MS = 86_400_000;

/** Throttles that share their counters. */
function processesOn(count: number): readonly LoginThrottle[] {
  const limiters = memoryLimiters();
  return Array.from({ length: count }, () =>
    createLoginThrottle(limiters, DEFAULT_THROTTLE, systemClock),
  );
}

/** Logins that one process has admitted before the first of them fails. */
function burstAt(throttle: LoginThrottle, size: number): Promise<readonly AdmittedLogin[]> {
  return Promise.all(
    Array.from({ length: size }, async () => {
      const admission = await throttle.admit('ada@example.com', STRANGER);
      if (admission.outcome === 'throttled') throw new Error(`throttled by ${admission.reason}`);
      return admission.login;
    }),
  );
}

/** How many of these guesses learn a result if their passwords are checked together. */
function countAnswered(throttle: LoginThrottle, guesses: readonly AdmittedLogin[]): number {
  const answered = guesses.filter((guess) => {
    if (throttle.lockedMeanwhile(guess) !== null) return false;
    void throttle.failed(guess);
    return true;
  });
  return answered.length;
}

describe('login throttling', () => {
  let throttle: LoginThrottle;

  beforeEach(() => {
    vi.useFakeTimers();
    throttle = createLoginThrottle(memoryLimiters(), DEFAULT_THROTTLE, systemClock);
  });
  afterEach(() => vi.useRealTimers());

  async function admitted(username: string, address: string) {
    const admission = await throttle.admit(username, address);
    if (admission.outcome === 'throttled') throw new Error(`throttled by ${admission.reason}`);
    return admission.login;
  }

  async function fail(times: number, username = 'ada@example.com', address = STRANGER) {
    for (let n = 0; n < times; n++) await throttle.failed(await admitted(username, address));
  }

  async function retryAfter(username = 'ada@example.com', address = STRANGER) {
    const admission = await throttle.admit(username, address);
    return admission.outcome === 'throttled' ? admission.retryAfterMs / 1000 : 0;
  }

  it('locks an identifier for a minute at its tenth failure in a row', async () => {
    await fail(9);
    expect(await retryAfter()).toBe(0);
    await fail(1);
    expect(await retryAfter()).toBe(60);
  });

  it('doubles the lock at every further ten failures, up to fifteen minutes', async () => {
    const locks: number[] = [];
    for (let round = 0; round < 6; round++) {
      for (let n = 0; n < 10; n++) await fail(1, 'ada@example.com', `192.0.2.${round}`);
      locks.push(await retryAfter());
      vi.advanceTimersByTime(900_001);
    }
    expect(locks).toEqual([60, 120, 240, 480, 900, 900]);
  });

  it('resets the failures at a success', async () => {
    await fail(9);
    await throttle.succeeded(await admitted('ada@example.com', STRANGER));
    await fail(9);
    expect(await retryAfter()).toBe(0);
  });

  it('counts spellings of one identifier together', async () => {
    await fail(5, 'kate@example.com');
    await fail(3, '\u212Aate@EXAMPLE.com');
    await fail(2, 'k\u00E1t\u00E8@example.com');
    expect(await retryAfter('kate@example.com')).toBe(60);
  });

  it.each([
    ['victim@gmail.com', 'victim@gmaíl.com'],
    ['josé@example.com', 'jose@example.com'],
  ])(
    'does not reset the failures of %s when the attacker logs in as %s, from any address',
    async (victim, attackersName) => {
      let guesses = 0;
      for (let i = 0; i < 40; i += 1) {
        const address = `198.51.100.${i % 4}`;
        const login = await throttle.admit(attackersName, address);
        for (let guess = 0; guess < 9; guess += 1) {
          const admission = await throttle.admit(victim, address);
          if (admission.outcome === 'throttled') continue;
          guesses += 1;
          await throttle.failed(admission.login);
        }
        // The attacker's own login began before these guesses, and succeeds after them.
        if (login.outcome === 'admitted') await throttle.succeeded(login.login);
      }
      expect(guesses).toBe(10);
    },
  );

  it('resets the failures at a success, even if the name is typed in another letter case', async () => {
    await fail(9, 'Ada@example.com');
    await throttle.succeeded(await admitted('ada@example.com', STRANGER));
    await fail(9);
    expect(await retryAfter()).toBe(0);
  });

  it('admits the user from a known address while others keep the identifier locked', async () => {
    await throttle.succeeded(await admitted('ada@example.com', HOME));
    await fail(10);
    expect(await retryAfter('ada@example.com', STRANGER)).toBe(60);
    expect(await retryAfter('ada@example.com', HOME)).toBe(0);
  });

  it('does not reset the failures of strangers at a login from a known address', async () => {
    await throttle.succeeded(await admitted('ada@example.com', HOME));
    await fail(9);
    await throttle.succeeded(await admitted('ada@example.com', HOME));
    await fail(1);
    expect(await retryAfter()).toBe(60);
  });

  it('locks a known address by failures from that address', async () => {
    await throttle.succeeded(await admitted('ada@example.com', HOME));
    await fail(10, 'ada@example.com', HOME);
    expect(await retryAfter('ada@example.com', HOME)).toBe(60);
    expect(await retryAfter('ada@example.com', STRANGER)).toBe(0);
  });

  it('still knows an address after twenty days', async () => {
    await throttle.succeeded(await admitted('ada@example.com', HOME));
    vi.advanceTimersByTime(20 * DAY_MS);
    await fail(10);
    expect(await retryAfter('ada@example.com', HOME)).toBe(0);
  });

  it('calls an address new until the user has logged in from it; an invalid address is never new', async () => {
    const isNew = async (address: string) =>
      (await admitted('ada@example.com', address)).isNewAddress;
    expect(await isNew(HOME)).toBe(true);
    await throttle.succeeded(await admitted('ada@example.com', HOME));
    expect(await isNew(HOME)).toBe(false);
    expect(await isNew(STRANGER)).toBe(true);
    expect(await isNew('unknown')).toBe(false);
  });

  it('locks an address for the rest of ten minutes at its hundredth failure', async () => {
    for (let user = 0; user < 20; user++) await fail(5, `user${user}@example.com`);
    vi.advanceTimersByTime(60_000);
    expect(await retryAfter('new@example.com', STRANGER)).toBe(540);
    expect(await retryAfter('new@example.com', HOME)).toBe(0);
  });

  it('counts all invalid addresses as one, which is never a known address', async () => {
    await throttle.succeeded(await admitted('ada@example.com', 'unknown'));
    await fail(10, 'ada@example.com', STRANGER);
    expect(await retryAfter('ada@example.com', 'unknown')).toBe(60);
    for (let user = 0; user < 20; user++) await fail(5, `user${user}@example.com`, 'unknown');
    expect(await retryAfter('new@example.com', 'unknown')).toBe(600);
  });

  it('warns once if logins come without an address', async () => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    for (let n = 0; n < 3; n++) await throttle.admit('ada@example.com', null);
    expect(emit.mock.calls.map(([, details]) => details)).toEqual([
      { type: 'LatchhookWarning', code: 'LATCHHOOK_ADDRESS' },
    ]);
    emit.mockRestore();
  });

  it('answers ten of a hundred concurrent guesses', async () => {
    expect(countAnswered(throttle, await burstAt(throttle, 100))).toBe(10);
    await vi.advanceTimersByTimeAsync(0);
    expect(await retryAfter()).toBe(60);
  });

  it('answers three of a hundred concurrent guesses after seven failures', async () => {
    await fail(7);
    expect(countAnswered(throttle, await burstAt(throttle, 100))).toBe(3);
  });

  it('answers at most ten concurrent guesses in each of three processes', async () => {
    const processes = await Promise.all(
      processesOn(3).map(async (each) => ({ each, guesses: await burstAt(each, 30) })),
    );
    // Each process checks all of its guesses before it learns of failures in the other processes.
    const answered = processes.map(({ each, guesses }) => countAnswered(each, guesses));
    expect(answered).toEqual([10, 10, 10]);
  });

  it('answers twelve alternating guesses over three processes: ten, and one more in each of the two that have not read the count', async () => {
    const processes = processesOn(3);
    const bursts = await Promise.all(processes.map((each) => burstAt(each, 30)));
    let learned = 0;
    for (let i = 0; i < 30; i += 1) {
      for (const [at, each] of processes.entries()) {
        const guess = bursts[at]?.[i];
        if (guess === undefined || each.lockedMeanwhile(guess) !== null) continue;
        learned += 1;
        await each.failed(guess);
      }
    }
    // Two processes read the count only as they record the eleventh and the twelfth failure.
    expect(learned).toBe(12);
  });

  it('keeps no lock if the user has logged in while a guess was checked', async () => {
    await fail(10);
    vi.advanceTimersByTime(61_000);
    const guess = await admitted('ada@example.com', STRANGER);
    const owner = await admitted('ada@example.com', HOME);
    await throttle.succeeded(owner);
    await throttle.failed(guess);
    expect(throttle.lockedMeanwhile(await admitted('ada@example.com', '203.0.113.9'))).toBeNull();
  });

  it('answers 990 guesses at one name on each of two days', async () => {
    for (let day = 0; day < 2; day += 1) {
      const beganMs = Date.now();
      let guesses = 0;
      while (Date.now() - beganMs < DAY_MS) {
        await fail(10, 'ada@example.com', `2001:db8:${guesses}::1`);
        guesses += 10;
        vi.advanceTimersByTime(1000 * (await retryAfter()));
      }
      // Ten guesses for each lock: four locks take the first 15 minutes, and each of 95 more takes 15 minutes.
      expect(guesses).toBe(990);
    }
  });

  it('rejects all pending logins of an identifier from its tenth failure on', async () => {
    const inFlight = await burstAt(throttle, 20);
    let answered = 0;
    for (const guess of inFlight) {
      if (throttle.lockedMeanwhile(guess) !== null) continue;
      answered += 1;
      await throttle.failed(guess);
    }
    expect(answered).toBe(10);
  });

  it('answers a hundred of 150 concurrent guesses at different names from one address', async () => {
    const names = Array.from({ length: 150 }, (_, i) => `user${i}@example.com`);
    const inFlight = await Promise.all(names.map((name) => admitted(name, STRANGER)));
    expect(countAnswered(throttle, inFlight)).toBe(100);
    const [last] = inFlight.slice(-1);
    if (last === undefined) throw new Error('nothing is in flight');
    expect(throttle.lockedMeanwhile(last)).toEqual({
      outcome: 'throttled',
      reason: 'address',
      retryAfterMs: 600_000,
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(await retryAfter('new@example.com', STRANGER)).toBe(600);
  });

  it('rejects all pending logins from an address from its hundredth failure on', async () => {
    const names = Array.from({ length: 150 }, (_, i) => `user${i}@example.com`);
    const inFlight = await Promise.all(names.map((name) => admitted(name, STRANGER)));
    const loginFromHome = await admitted('ada@example.com', HOME);
    let answered = 0;
    for (const guess of inFlight) {
      if (throttle.lockedMeanwhile(guess) !== null) continue;
      answered += 1;
      await throttle.failed(guess);
    }
    expect(answered).toBe(100);
    expect(throttle.lockedMeanwhile(loginFromHome)).toBeNull();
    vi.advanceTimersByTime(600_000);
    expect(await retryAfter('new@example.com', STRANGER)).toBe(0);
  });
});
