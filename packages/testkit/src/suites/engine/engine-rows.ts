import assert from 'node:assert/strict';
import type { Rows } from '@latchhook/core/storage';
import { keysOf, rowMembers } from '../../actions/engine-calls.ts';
import { type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { HOUR_MS } from '../../samples/login-samples.ts';
import { newRow, rowAt } from '../../samples/row-samples.ts';

export const engineRows: EngineSuite = engineSuite('engine: rows', {
  visible: {
    'returns rows unchanged, but null for a missing row': async (t) => {
      const [other = t] = await t.connections(1);
      const expiresAtMs = t.clock.nowMs() + HOUR_MS;
      const rows = [
        newRow('a'),
        newRow('b', { value: { deep: [1, 'two', null] }, indexes: { i: '1', j: '2' } }),
        newRow('c', { value: null, expiresAtMs }),
      ];
      await t.put(...rows);
      for (const connection of [t, other]) {
        for (const row of rows) assert.deepEqual(await connection.get(row.key), row);
        assert.equal(await connection.get('d'), null);
        assert.equal(await connection.in('q').get('a'), null);
      }
    },

    'shows a transaction its own writes': async (t) => {
      await t.put(rowAt('a', '1'), rowAt('b', '2'));
      await t.transact(async (rows) => {
        const changedRow = rowAt('a', '9', { value: 'changed' });
        await rows.put(changedRow);
        assert.deepEqual(rowMembers(await rows.get('a')), changedRow);
        await rows.put(rowAt('c', '5'));
        assert.deepEqual(rowMembers(await rows.get('c')), rowAt('c', '5'));
        assert.deepEqual(keysOf(await rows.range('i')), ['b', 'c', 'a']);
        await rows.delete('b');
        assert.equal(await rows.get('b'), null);
        assert.deepEqual((await rows.range('i')).map(rowMembers), [rowAt('c', '5'), changedRow]);
        assert.deepEqual(keysOf(await rows.range('i', { limit: 1 })), ['c']);
        await rows.delete('c');
        assert.equal(await rows.get('c'), null);
        assert.deepEqual(keysOf(await rows.range('i', { from: '2', before: '99' })), ['a']);
      });
    },

    'returns the same rows to transactions with and without a firstKey': async (t) => {
      const changedRow = rowAt('a', '9', { value: 'changed' });
      await t.put(rowAt('a', '1'), rowAt('b', '2'));
      const work = async (rows: Rows) => {
        const reads = [await rows.get('a'), await rows.get('b'), await rows.get('c')];
        await rows.put(changedRow);
        reads.push(await rows.get('a'));
        await rows.delete('a');
        return [...reads, await rows.get('a')].map(rowMembers);
      };
      const expected = [rowAt('a', '1'), rowAt('b', '2'), null, changedRow, null];
      for (const firstKey of ['a', 'b', 'c']) {
        assert.deepEqual(await t.transact(work, firstKey), expected);
        await t.put(rowAt('a', '1'));
      }
    },
  },

  together: {
    'returns each of several rows that are got at once': async (t) => {
      await t.put(newRow('a'), newRow('b', { value: 2 }), newRow('c'));
      const keys = ['c', 'b', 'missing', 'a', 'b'];
      const found = await t.transact(async (rows) => {
        await rows.put(newRow('c', { value: 'changed' }));
        return Promise.all(keys.map((key) => rows.get(key)));
      });
      const changed = newRow('c', { value: 'changed' });
      const [c, b, missing, ...others] = found;
      assert.deepEqual(
        [c, b].map((row) => row && rowMembers(row)),
        [changed, newRow('b', { value: 2 })],
      );
      assert.equal(missing, null);
      assert.deepEqual(keysOf(others.filter((row) => row !== null)), ['a', 'b']);
    },
  },

  put: {
    'replaces value, sort keys and expiry of a row on put()': async (t) => {
      const formerMembers = { value: { a: 1, b: 2 }, indexes: { i: '1', j: '1' } };
      const replacement = newRow('a', { value: { a: 3 }, indexes: { i: '5' } });
      await t.put(newRow('a', { ...formerMembers, expiresAtMs: t.clock.nowMs() + HOUR_MS }));
      await t.transact(async (rows) => {
        await rows.put(replacement);
        assert.deepEqual(await rows.range('j'), []);
        assert.deepEqual(await rows.range('i', { before: '5' }), []);
      });
      assert.deepEqual(await t.get('a'), replacement);
      assert.deepEqual(await t.range(), [replacement]);
      assert.deepEqual(await t.range('j'), []);
      await t.assertFinds([], { index: 'j' });
      t.clock.advance(2 * HOUR_MS);
      assert.deepEqual(await t.get('a'), replacement);
    },

    'keeps the last of several writes of a transaction to one row': async (t) => {
      const last = rowAt('a', '3', { value: 'last' });
      await t.put(rowAt('a', '1'), rowAt('a', '2'), last);
      await t.put(rowAt('b', '1'), rowAt('c', '2'));
      await t.transact(async (rows) => {
        await rows.delete('b');
        await rows.put(rowAt('b', '4'));
        await rows.put(rowAt('c', '9'));
        await rows.delete('c');
        await rows.put(rowAt('d', '9'));
        await rows.delete('d');
      });
      assert.deepEqual(await t.range(), [last, rowAt('b', '4')]);
      for (const key of ['c', 'd']) assert.equal(await t.get(key), null);
    },

    'stores a row as it was when put() was called': async (t) => {
      await t.transact(async (rows) => {
        const value = { list: ['original'] };
        const indexes: Record<string, string> = { i: '1' };
        await rows.put(newRow('a', { value, indexes }));
        value.list[0] = 'changed';
        indexes['i'] = '2';
      });
      const expected = newRow('a', { value: { list: ['original'] }, indexes: { i: '1' } });
      assert.deepEqual(await t.get('a'), expected);
      assert.deepEqual(await t.range('i', { before: '2' }), [expected]);
    },
  },

  delete: {
    'deletes only the given row, from all of its indexes': async (t) => {
      const keptRow = newRow('b', { indexes: { i: '1', j: '1' } });
      await t.put(newRow('a', { indexes: { i: '1', j: '1' } }), keptRow);
      await t.in('q').put(newRow('a', { indexes: { i: '2', j: '2' } }));
      await t.delete('a');
      assert.equal(await t.get('a'), null);
      for (const index of ['i', 'j']) {
        assert.deepEqual(await t.range(index), [keptRow]);
        const pick = (rows: readonly { partition: string; key: string }[]) =>
          rows.map(({ partition, key }) => `${partition} ${key}`);
        await t.assertFinds(['p b', 'q a'], { index, pick });
      }
    },

    'stores a deleted key again without the indexes of the former row': async (t) => {
      await t.put(newRow('a', { indexes: { i: '1' } }));
      await t.delete('a');
      await t.put(newRow('a', { indexes: { j: '1' } }));
      assert.deepEqual(await t.range(), []);
      await t.assertFinds([]);
      await t.assertFinds(['a'], { index: 'j' });
    },

    'ignores the deletion of a missing row': async (t) => {
      await t.transact(async (rows) => {
        await rows.delete('a');
        await rows.put(newRow('b'));
        await rows.delete('c');
      });
      assert.deepEqual(await t.get('b'), newRow('b'));
    },
  },
});
