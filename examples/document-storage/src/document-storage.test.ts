import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storageOn } from '@latchhook/core/storage';
import {
  certifyEngine,
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
  certifyWebhooks,
  type EngineHarness,
  expectMutantsCaught,
  type StorageHarness,
  turnableClock,
} from '@latchhook/testkit';
import PouchDB from 'pouchdb';
import { describe, expect, it } from 'vitest';
import { documentEngine, type PartitionDatabase } from './document-storage.ts';

/** The default of one second is too short on busy machines. */
const deadlineMs = 20_000;

async function openDatabase() {
  const folder = await mkdtemp(join(tmpdir(), 'latchhook-'));
  const connect = (): PartitionDatabase =>
    new PouchDB(join(folder, 'auth'), { auto_compaction: true, revs_limit: 1 });
  const database = connect();
  const close = async () => {
    await database.destroy();
    await rm(folder, { recursive: true });
  };
  return { connect, close };
}

const engines: EngineHarness = {
  async open(options) {
    const { connect, close } = await openDatabase();
    return { connect: () => documentEngine(connect(), { ...options, deadlineMs }), close };
  },
};

const storages: StorageHarness = {
  async open(options) {
    const { connect, close } = await engines.open(options);
    return { connect: async () => storageOn(await connect(), { ...options, deadlineMs }), close };
  },
};

describe('document storage on PouchDB', () => {
  certifyEngine({ describe, it }, engines);
  expectMutantsCaught({ describe, it }, engines);
  certifyStorage({ describe, it }, storages);
  certifyPersonalAccessTokens({ describe, it }, storages);
  certifyMfa({ describe, it }, storages);
  certifyWebhooks({ describe, it }, storages);
  certifyLimiters({ describe, it }, storages);

  it('deletes expired rows of a partition when another row of the partition is written', async () => {
    const { connect, close } = await openDatabase();
    const clock = turnableClock();
    const engine = documentEngine(connect(), { clock, deadlineMs });
    const put = (key: string) =>
      engine.transact('p', (rows, nowMs) =>
        rows.put({ key, value: key, indexes: { i: key }, expiresAtMs: nowMs + 1_000 }),
      );
    await put('a');
    clock.advance(1_000);
    await put('b');
    const rows = await engine.find('i', { limit: 9 });
    expect(rows.map(({ key }) => key)).toEqual(['b']);
    await close();
  });

  it('deletes documents of expired rows as fast as new ones are added', async () => {
    const { connect, close } = await openDatabase();
    const clock = turnableClock();
    const engine = documentEngine(connect(), { clock, deadlineMs });
    const limiter = storageOn(engine, { deadlineMs }).limiters({
      keyPrefix: 'logins',
      duration: 1,
    });
    for (let i = 0; i < 300; i += 1) {
      await limiter.penalty(`user ${i}`);
      clock.advance(2_000);
    }
    expect((await connect().info()).doc_count).toBeLessThan(120);
    await close();
  });
});
