import assert from 'node:assert/strict';
import type { FoundRow } from '@latchhook/core/storage';
import { readsDuringFailure, rowMembers } from '../../actions/engine-calls.ts';
import { type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { newRow, rowAt } from '../../samples/row-samples.ts';

export const engineFind: EngineSuite = engineSuite('engine: find', {
  found: {
    'finds rows of all partitions, in the order of sort keys': async (t) => {
      const [other = t] = await t.connections(1);
      await t.put(rowAt('a', '3'), rowAt('b', '1'));
      await t.in('q').put(rowAt('a', '2', { value: 'of q' }), newRow('c'));
      await t.in('r').put(newRow('d', { indexes: { i: '4', j: '0' } }));
      const expected = [
        { partition: 'p', ...rowAt('b', '1') },
        { partition: 'q', ...rowAt('a', '2', { value: 'of q' }) },
        { partition: 'p', ...rowAt('a', '3') },
        { partition: 'r', ...newRow('d', { indexes: { i: '4', j: '0' } }) },
      ];
      const pick = (rows: readonly FoundRow[]) =>
        rows.map((row) => ({ partition: row.partition, ...rowMembers(row) }));
      await other.assertFinds(expected, { pick });
    },

    'finds new rows, but none deleted or replaced': async (t) => {
      const [other = t] = await t.connections(1);
      await other.assertFinds([]);
      await t.put(rowAt('a', '1'), rowAt('b', '2'), rowAt('c', '3'));
      await other.assertFinds(['a', 'b', 'c']);
      await t.delete('a');
      await t.put(rowAt('b', '9', { value: 'changed' }), newRow('c'));
      const pick = (rows: readonly FoundRow[]) => rows.map(rowMembers);
      await other.assertFinds([rowAt('b', '9', { value: 'changed' })], { pick });
    },

    'finds no uncommitted rows': async (t) => {
      const [other = t] = await t.connections(1);
      const written = [rowAt('a', '1')];
      const read = () => other.engine.find('i', { limit: 9 });
      for (const found of await readsDuringFailure(t, written, read)) {
        assert.deepEqual(found, []);
      }
    },

    'returns rows of more than a hundred partitions': async (t) => {
      const names = Array.from({ length: 120 }, (_, nth) => `p${String(nth).padStart(3, '0')}`);
      for (const name of names) await t.in(name).put(rowAt('k', name));
      const pick = (rows: readonly FoundRow[]) => rows.map(({ partition }) => partition);
      await t.assertFinds(names, { limit: 500, pick });
    },
  },

  limit: {
    'returns the first rows of all partitions up to the limit': async (t) => {
      for (let nth = 8; nth >= 0; nth -= 1) {
        await t.in(`p${nth % 3}`).put(rowAt(`k${nth}`, String(nth)));
      }
      await t.assertFinds(['k0', 'k1', 'k2', 'k3'], { limit: 4 });
      await t.assertFinds(['k3', 'k4'], { from: '3', limit: 2 });
      await t.assertFinds(['k0'], { limit: 1 });
    },
  },

  from: {
    'starts at the sort key `from`, inclusive': async (t) => {
      await t.put(rowAt('a', '1'), rowAt('c', '3'));
      await t.in('q').put(rowAt('b', '2'));
      await t.assertFinds(['b', 'c'], { from: '2' });
      await t.assertFinds([], { from: '4' });
    },
  },

  before: {
    'ends before the sort key `before`, exclusive': async (t) => {
      await t.put(rowAt('a', '1'), rowAt('c', '3'));
      await t.in('q').put(rowAt('b', '2'));
      await t.assertFinds(['a', 'b'], { before: '3' });
      await t.assertFinds(['b'], { from: '2', before: '3' });
    },
  },

  order: {
    'returns all rows of one sort key, in one partition or several': async (t) => {
      for (const partition of ['p', 'q', 'r']) {
        await t.in(partition).put(rowAt('a', '5'), rowAt('b', '5'));
      }
      const pick = (rows: readonly FoundRow[]) =>
        rows.map(({ partition, key }) => `${partition} ${key}`).toSorted();
      const allRows = ['p a', 'p b', 'q a', 'q b', 'r a', 'r b'];
      await t.assertFinds(allRows, { from: '5', before: '6', pick });
    },
  },
});
