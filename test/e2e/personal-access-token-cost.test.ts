import type { UserStore } from '@latchhook/core';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startTestApp } from '../support/apps/test-app.ts';
import { GARBAGE_PAT, makePat, managerOf } from '../support/clients/pat-calls.ts';
import { get } from '../support/clients/token-calls.ts';
import { watchRedis } from '../support/servers/watch-redis.ts';

describe.each(['express', 'koa'] as const)(
  'the cost of personal access tokens in %s',
  (framework) => {
    it('is one Redis command and one user look-up per request, and none for a malformed token', async () => {
      let lookUps = 0;
      const app = await startTestApp(
        { framework, storage: 'redis' },
        {
          userStore: (users): UserStore => ({
            ...users,
            findById: (userId) => {
              lookUps += 1;
              return users.findById(userId);
            },
          }),
        },
      );
      onTestFinished(() => app.stop());
      const { token } = await makePat(await managerOf(app));
      await get(app, '/me', token);
      lookUps = 0;

      const commands = await commandsDuring(app.cellStorage.place, async () => {
        for (let request = 0; request < 10; request += 1) await get(app, '/me', GARBAGE_PAT);
      });
      expect([commands, lookUps]).toEqual([0, 0]);

      const ofUses = await commandsDuring(app.cellStorage.place, async () => {
        for (let request = 0; request < 10; request += 1) {
          expect((await get(app, '/me', token)).status).toBe(200);
        }
      });
      expect([ofUses, lookUps]).toEqual([10, 10]);
    });
  },
);

/** How many commands about these keys were sent to Redis; those inside scripts do not count. */
async function commandsDuring(keyPrefix: string, work: () => Promise<void>): Promise<number> {
  const commandsSeen = await watchRedis(inject('redisUrl'));
  await work();
  return (await commandsSeen()).filter(
    ({ isOfScript, words }) => !isOfScript && words.join().includes(keyPrefix),
  ).length;
}
