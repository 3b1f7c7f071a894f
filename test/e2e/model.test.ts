import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/apps/test-app.ts';
import type { TokenBody } from '../support/clients/token-calls.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import { EVERY_CELL } from '../support/every-cell.ts';
import { isHere } from '../support/storage/cell-storage.ts';
import { commands } from '../support/storage/session-commands.ts';
import { call, type Model, type Real, type UserEntry } from '../support/storage/session-model.ts';

const RUNS = [
  ['memory', EVERY_CELL ? 1000 : 200],
  ['redis', 100],
  ['postgres', 100],
  ['pglite', 50],
] as const;

describe.each(RUNS.filter(([storage]) => isHere(storage)))('a session on %s', (storage, runs) => {
  let app: TestApp;
  const userStore = new Map<string, UserEntry>();
  beforeAll(async () => {
    const find = async (id: string) => userStore.get(id)?.current ?? null;
    app = await startTestApp(
      { framework: 'express', storage },
      {
        userStore: () => ({
          findByUsername: (username) => find(username.split('@')[0] ?? ''),
          findById: find,
        }),
      },
    );
  });
  afterAll(() => app.stop());

  async function begin(): Promise<{ readonly model: Model; readonly real: Real }> {
    const id = `user${userStore.size}`;
    const user: UserEntry = {
      current: { id, passwordHash: null, accounts: [1], scopes: ['user', 'admin', 'auth'] },
    };
    userStore.set(id, user);
    const login = { username: `${id}@example.com`, password: TEST_PASSWORD };
    const { body } = await call(app, '/token', { ...login, scopes: 'user,admin,auth' });
    const { refresh_token, access_token } = body as TokenBody;
    const nowMs = app.clock.nowMs();
    return {
      model: {
        generation: 1,
        nowMs,
        createdAtMs: nowMs,
        rotatedAtMs: nowMs,
        ended: false,
        disabled: false,
        passwordChangedAtMs: 0,
        scopes: ['user', 'admin'],
      },
      real: { app, user, accessToken: access_token, tokens: ['', refresh_token] },
    };
  }

  it(`behaves like the documented model over ${runs} random histories`, async () => {
    const property = fc.asyncProperty(commands, async (history) => {
      const session = await begin();
      await fc.asyncModelRun(() => session, history);
    });
    await fc.assert(property, { seed: 20_261_120, numRuns: runs });
  });
});
