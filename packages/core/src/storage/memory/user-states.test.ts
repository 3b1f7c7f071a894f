import { describe, expect, it } from 'vitest';
import type { NewChallenge } from '../challenge-store.ts';
import { LONGEST_PENDING_MS } from '../longest-pending.ts';
import type { NewLogin } from '../session-store.ts';
import { MemoryChallengeStore } from './memory-challenge-store.ts';
import { MemorySessionStore } from './memory-session-store.ts';
import { UserStates } from './user-states.ts';

const DAY_MS = 24 * 60 * 60_000;

function setUp() {
  let nowMs = Date.UTC(2026, 0, 1);
  const clock = { nowMs: () => nowMs };
  const users = new UserStates(clock);
  return {
    users,
    sessions: new MemorySessionStore(users, clock),
    challenges: new MemoryChallengeStore(users, clock),
    advance: (ms: number) => {
      nowMs += ms;
    },
  };
}

function newSession(userId: string, sessionId: string): NewLogin {
  return {
    userId,
    sessionId,
    scopes: ['user'],
    accountId: null,
    amr: ['pwd'],
    authTimeMs: 0,
    clientAddress: null,
    userAgent: null,
    idleMs: DAY_MS,
    absoluteMs: 3 * DAY_MS,
    authenticationMs: 0,
  };
}

const limits = { maxPerUser: 10 };

function newChallenge(challengeId: string): NewChallenge {
  const context = {
    accountId: null,
    version: 'v2',
    authTimeMs: 0,
    amr: ['pwd'],
    actor: 'user',
  } as const;
  return { userId: 'ada', challengeId, context, ttlMs: 1000, authenticationMs: 0 };
}

describe('what the memory storage keeps', () => {
  it('stays in proportion to what is alive, of users that come once each', async () => {
    const { users, sessions, advance } = setUp();
    const usersADay = 100;
    for (let nth = 0; nth < 50 * usersADay; nth += 1) {
      await sessions.create(newSession(`user ${nth}`, 's'), limits);
      advance(DAY_MS / usersADay);
    }
    expect(users.size).toBeLessThan(3 * usersADay);
  });

  it('stays in proportion to what is alive, of a user that comes again and again', async () => {
    const { users, sessions, challenges, advance } = setUp();
    for (let nth = 0; nth < 1000; nth += 1) {
      const session = newSession('ada', `s${nth}`);
      await sessions.create(session, limits);
      await sessions.revoke(session);
      await challenges.create(newChallenge(`c${nth}`));
      advance(10_000);
    }
    const ada = users.find('ada');
    expect(ada?.sessions.size).toBeLessThan(150);
    expect(ada?.challenges.size).toBeLessThan(20);
  });

  it('includes what guards a factor, for good', async () => {
    const { users, sessions, challenges, advance } = setUp();
    const ada = { userId: 'ada', challengeId: 'c1' };
    await challenges.create(newChallenge('c1'));
    await challenges.complete({
      ...ada,
      totpStep: 9,
      session: newSession('ada', 's1'),
      maxSessionsPerUser: 10,
    });
    for (let day = 0; day < 1000; day += 1) {
      advance(DAY_MS);
      await sessions.create(newSession(`user ${day}`, 's'), limits);
    }
    expect(users.find('ada')?.sessions.size).toBe(0);
    expect(users.find('ada')?.factorLock.lastTotpStep).toBe(9);
    expect(users.size).toBeLessThan(10);
  });

  it('includes for an hour that all was revoked, though nothing else is known of the user', async () => {
    const { users, sessions, advance } = setUp();
    const authenticationMs = 3_599_999;
    await sessions.revokeAll('ada');
    advance(authenticationMs);
    for (let nth = 0; nth < 10; nth += 1) {
      await sessions.create(newSession(`user ${nth}`, 's'), limits);
    }
    const late = { ...newSession('ada', 's'), authenticationMs };
    expect(await sessions.create(late, limits)).toEqual({ outcome: 'superseded' });
    advance(1);
    for (let nth = 0; nth < 10; nth += 1) {
      await sessions.create(newSession(`user ${nth}`, 's'), limits);
    }
    expect(users.find('ada')).toBeUndefined();
  });

  it('outlives a revocation of all no longer than its sessions would have', async () => {
    const { users, sessions, advance } = setUp();
    await sessions.create(newSession('ada', 's1'), limits);
    await sessions.revokeAll('ada');
    advance(DAY_MS + LONGEST_PENDING_MS);
    await sessions.create(newSession('grace', 's1'), limits);
    expect(users.find('ada')).toBeUndefined();
  });
});
