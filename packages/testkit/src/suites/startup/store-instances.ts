import assert from 'node:assert/strict';
import { startupSuite, TTL_MS } from '../../fixtures/startup-fixture.ts';

/** As long as the configuration of a large app. */
const MAX_CONFIGURATION_LENGTH = 8_192;

export const storeInstances = startupSuite('startup: instances', {
  'returns the other instances to a joining instance': async (t) => {
    const [other = t] = await t.connections(1);
    assert.deepEqual(await t.join('a'), []);
    assert.deepEqual(await other.join('b'), ['of a']);
    assert.deepEqual(await t.join('a'), ['of b']);
  },

  'returns the last configuration of each instance': async (t) => {
    await t.join('a', 'old');
    await t.join('a', 'new');
    assert.deepEqual(await t.join('b'), ['new']);
  },

  'returns a configuration of any characters unchanged': async (t) => {
    const texts = ['', ' ', '{"a":"b c"}', 'ü\u{1F512}\n', 'x'.repeat(MAX_CONFIGURATION_LENGTH)];
    for (const [nth, text] of texts.entries()) await t.join(`i${nth}`, text);
    assert.deepEqual([...(await t.join('last'))].sort(), [...texts].sort());
  },

  'keeps two instances apart if one id is a prefix of the other': async (t) => {
    await t.join('a-1');
    await t.join('a-12');
    assert.deepEqual(await t.join('a-1'), ['of a-12']);
    await t.startup.leave('a-1');
    assert.deepEqual(await t.join('b'), ['of a-12']);
  },

  'forgets an instance after ttlMs, unless it joins again': async (t) => {
    await t.join('a');
    await t.join('b');
    await t.elapseCheckingJustBefore(TTL_MS, async () =>
      assert.deepEqual(await t.join('b'), ['of a']),
    );
    assert.deepEqual(await t.join('c'), ['of b']);
  },

  'forgets an instance that leaves, even if it leaves twice': async (t) => {
    await t.join('a');
    await t.join('b');
    await t.startup.leave('a');
    await t.startup.leave('a');
    await t.startup.leave('unknown');
    assert.deepEqual(await t.join('c'), ['of b']);
  },

  'returns the other to at least one of any two instances that join in parallel': async (t) => {
    const results = await t.inParallel(32, (connection, nth) => connection.join(`i${nth}`));
    const sees = (one: number, other: number) => results[one]?.includes(`of i${other}`);
    for (const one of results.keys()) {
      for (const other of results.keys()) {
        if (one !== other) assert.ok(sees(one, other) || sees(other, one), `${one}, ${other}`);
      }
    }
  },
});
