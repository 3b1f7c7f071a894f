import assert from 'node:assert/strict';
import type { FoundRow } from '@latchhook/core/storage';
import {
  assertFindsSoon,
  keysOf,
  putAll,
  readsDuringFailure,
  rowMembers,
} from '../../actions/engine-calls.ts';
import { type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { newRow, placedRow } from '../../samples/row-samples.ts';

export const engineFind: EngineSuite = engineSuite('engine: find', {
  found: {
    'finds rows of all partitions, in the order of places': async ({ engine, connections }) => {
      const [other = engine] = await connections(1);
      await putAll(engine, 'p', placedRow('a', '3'), placedRow('b', '1'));
      await putAll(engine, 'q', placedRow('a', '2', { value: 'of q' }), newRow('c'));
      await putAll(engine, 'r', newRow('d', { indexes: { i: '4', j: '0' } }));
      const expected = [
        { partition: 'p', ...placedRow('b', '1') },
        { partition: 'q', ...placedRow('a', '2', { value: 'of q' }) },
        { partition: 'p', ...placedRow('a', '3') },
        { partition: 'r', ...newRow('d', { indexes: { i: '4', j: '0' } }) },
      ];
      const pick = (rows: readonly FoundRow[]) =>
        rows.map((row) => ({ partition: row.partition, ...rowMembers(row) }));
      await assertFindsSoon(other, ['i', { limit: 9 }], pick, expected);
    },

    'finds new rows, but none deleted or replaced': async ({ engine, connections }) => {
      const [other = engine] = await connections(1);
      await assertFindsSoon(other, ['i', { limit: 9 }], keysOf, []);
      await putAll(engine, 'p', placedRow('a', '1'), placedRow('b', '2'), placedRow('c', '3'));
      await assertFindsSoon(other, ['i', { limit: 9 }], keysOf, ['a', 'b', 'c']);
      await engine.transact('p', (rows) => rows.delete('a'));
      await putAll(engine, 'p', placedRow('b', '9', { value: 'changed' }), newRow('c'));
      const pick = (rows: readonly FoundRow[]) => rows.map(rowMembers);
      await assertFindsSoon(other, ['i', { limit: 9 }], pick, [
        placedRow('b', '9', { value: 'changed' }),
      ]);
    },

    'finds no uncommitted rows': async ({ engine, connections }) => {
      const [other = engine] = await connections(1);
      const written = [placedRow('a', '1')];
      const read = () => other.find('i', { limit: 9 });
      for (const found of await readsDuringFailure(engine, 'p', written, read)) {
        assert.deepEqual(found, []);
      }
    },

    'returns rows of more than a hundred partitions': async ({ engine }) => {
      const names = Array.from({ length: 120 }, (_, nth) => `p${String(nth).padStart(3, '0')}`);
      for (const name of names) await putAll(engine, name, placedRow('k', name));
      const pick = (rows: readonly FoundRow[]) => rows.map(({ partition }) => partition);
      await assertFindsSoon(engine, ['i', { limit: 500 }], pick, names);
    },
  },

  limit: {
    'returns the first rows of all partitions up to the limit': async ({ engine }) => {
      for (let nth = 8; nth >= 0; nth -= 1) {
        await putAll(engine, `p${nth % 3}`, placedRow(`k${nth}`, String(nth)));
      }
      await assertFindsSoon(engine, ['i', { limit: 4 }], keysOf, ['k0', 'k1', 'k2', 'k3']);
      await assertFindsSoon(engine, ['i', { from: '3', limit: 2 }], keysOf, ['k3', 'k4']);
      await assertFindsSoon(engine, ['i', { limit: 1 }], keysOf, ['k0']);
    },
  },

  from: {
    'starts at the place `from`, inclusive': async ({ engine }) => {
      await putAll(engine, 'p', placedRow('a', '1'), placedRow('c', '3'));
      await putAll(engine, 'q', placedRow('b', '2'));
      await assertFindsSoon(engine, ['i', { from: '2', limit: 9 }], keysOf, ['b', 'c']);
      await assertFindsSoon(engine, ['i', { from: '4', limit: 9 }], keysOf, []);
    },
  },

  before: {
    'ends before the place `before`, exclusive': async ({ engine }) => {
      await putAll(engine, 'p', placedRow('a', '1'), placedRow('c', '3'));
      await putAll(engine, 'q', placedRow('b', '2'));
      await assertFindsSoon(engine, ['i', { before: '3', limit: 9 }], keysOf, ['a', 'b']);
      await assertFindsSoon(engine, ['i', { from: '2', before: '3', limit: 9 }], keysOf, ['b']);
    },
  },

  order: {
    'returns all rows of one place, in one partition or several': async ({ engine }) => {
      for (const partition of ['p', 'q', 'r']) {
        await putAll(engine, partition, placedRow('a', '5'), placedRow('b', '5'));
      }
      const pick = (rows: readonly FoundRow[]) =>
        rows.map(({ partition, key }) => `${partition} ${key}`).toSorted();
      const allRows = ['p a', 'p b', 'q a', 'q b', 'r a', 'r b'];
      await assertFindsSoon(engine, ['i', { from: '5', before: '6', limit: 9 }], pick, allRows);
    },
  },
});
