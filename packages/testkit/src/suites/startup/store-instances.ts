import assert from 'node:assert/strict';
import type { StoreStartup } from '@latchhook/core/storage';
import { inParallel } from '../../actions/in-parallel.ts';
import type { StartupFixture } from '../../fixtures/startup-fixture.ts';
import { suiteOf } from '../../suite.ts';

const TTL_MS = 60_000;
const PROCESSES = 8;
/** As long as the configuration of a large app. */
const MAX_CONFIGURATION_LENGTH = 8_192;

function join(startup: StoreStartup, instanceId: string, configuration = `of ${instanceId}`) {
  return startup.join({ instanceId, configuration, ttlMs: TTL_MS });
}

export const storeInstances = suiteOf<StartupFixture>('startup: instances', {
  'returns the other instances to a joining instance': async ({ startup, connections }) => {
    const [other = startup] = await connections(1);
    assert.deepEqual(await join(startup, 'a'), []);
    assert.deepEqual(await join(other, 'b'), ['of a']);
    assert.deepEqual(await join(startup, 'a'), ['of b']);
  },

  'returns the last configuration of each instance': async ({ startup }) => {
    await join(startup, 'a', 'old');
    await join(startup, 'a', 'new');
    assert.deepEqual(await join(startup, 'b'), ['new']);
  },

  'returns a configuration of any characters unchanged': async ({ startup }) => {
    const texts = ['', ' ', '{"a":"b c"}', 'ü\u{1F512}\n', 'x'.repeat(MAX_CONFIGURATION_LENGTH)];
    for (const [nth, text] of texts.entries()) await join(startup, `i${nth}`, text);
    assert.deepEqual([...(await join(startup, 'last'))].sort(), [...texts].sort());
  },

  'keeps two instances apart if one id is a prefix of the other': async ({ startup }) => {
    await join(startup, 'a-1');
    await join(startup, 'a-12');
    assert.deepEqual(await join(startup, 'a-1'), ['of a-12']);
    await startup.leave('a-1');
    assert.deepEqual(await join(startup, 'b'), ['of a-12']);
  },

  'forgets an instance after ttlMs, unless it joins again': async ({ startup, clock }) => {
    await join(startup, 'a');
    await join(startup, 'b');
    clock.advance(TTL_MS - 1);
    assert.deepEqual(await join(startup, 'b'), ['of a']);
    clock.advance(1);
    assert.deepEqual(await join(startup, 'c'), ['of b']);
  },

  'forgets an instance that leaves, even if it leaves twice': async ({ startup }) => {
    await join(startup, 'a');
    await join(startup, 'b');
    await startup.leave('a');
    await startup.leave('a');
    await startup.leave('unknown');
    assert.deepEqual(await join(startup, 'c'), ['of b']);
  },

  'shows the other to at least one of two instances that join in parallel': async ({
    connections,
  }) => {
    const processes = await connections(PROCESSES);
    const results = await inParallel(32, processes, (connection, nth) =>
      join(connection, `i${nth}`),
    );
    const sees = (one: number, other: number) => results[one]?.includes(`of i${other}`);
    for (const one of results.keys()) {
      for (const other of results.keys()) {
        if (one !== other) assert.ok(sees(one, other) || sees(other, one), `${one}, ${other}`);
      }
    }
  },
});
