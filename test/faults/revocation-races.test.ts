import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';
import { expect, inject, it, onTestFinished } from 'vitest';
import { tokensOf } from '../support/apps/app-client.ts';
import { startHostApp } from '../support/apps/start-host-app.ts';
import { startStarter } from '../support/apps/start-starter.ts';
import { testUsers } from '../support/clients/users.ts';
import { seededRandom } from '../support/storage/seeded-random.ts';
import { reportFigures } from './report-figures.ts';
import { type RevocationRace, raceRevocation } from './scenarios/race-revocation.ts';

const RACES = 300;

async function race(name: string, against: RevocationRace): Promise<void> {
  const figures = await raceRevocation(against, RACES, seededRandom(5));
  reportFigures(`refresh against ${name}`, figures);
  expect(figures.refreshedAfter).toBe(0);
  expect(figures.refreshedBefore).toBeGreaterThan(RACES);
  expect(figures.rejectedAfter).toBeGreaterThan(RACES);
}

it('no refresh succeeds after POST /token/revoke was acknowledged, not even at another process', async () => {
  const starter = await startStarter('express-starter', { env: { LOGIN_THROTTLE: 'off' } });
  const other = await starter.startSecond('koa-starter');
  await race('revoke', {
    refreshes: starter.client,
    login: async () => tokensOf(await other.login('alan@example.com')).refreshToken,
    end: async (token) => {
      expect((await other.revoke(token)).status).toBe(200);
    },
  });
});

it('no refresh succeeds after the host has disabled the user', async () => {
  const { one, other, users } = await startTwoHostApps();
  await race('disabling', {
    refreshes: one.client,
    login: async () => {
      users.change('alan', { disabled: false });
      return tokensOf(await other.client.login('alan@example.com')).refreshToken;
    },
    end: async () => users.change('alan', { disabled: true }),
  });
});

it('no refresh succeeds after the host has ended all sessions of the user', async () => {
  const { one, other } = await startTwoHostApps();
  await race('revokeAll', {
    refreshes: one.client,
    login: async () => tokensOf(await other.client.login('alan@example.com')).refreshToken,
    end: () => other.auth.sessions.revokeAll('alan'),
  });
});

/** Starts two apps with one user store and one Redis, each with its own connection. */
async function startTwoHostApps() {
  const users = await testUsers();
  const keyPrefix = `races-${crypto.randomUUID()}`;
  const start = () => {
    const redis = new Redis(inject('redisUrl'));
    onTestFinished(() => redis.disconnect());
    return startHostApp({
      users,
      storage: redisStorage(redis, { keyPrefix }),
      throttle: false,
      passwords: { verifier: async (user) => user !== null },
    });
  };
  return { one: await start(), other: await start(), users };
}
