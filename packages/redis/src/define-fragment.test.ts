import { describe, expect, it } from 'vitest';
import { defineFragment, sourceOf } from './define-fragment.ts';

const NAMES = defineFragment({ lua: 'local function name() end' });
const KEYS = defineFragment({ uses: [NAMES], lua: 'local function key() name() end' });

describe('the source of fragments', () => {
  it('contains each fragment once, after the fragments that it uses', () => {
    expect(sourceOf([KEYS, NAMES]).split('\n')).toEqual([
      'local function name() end',
      'local function key() name() end',
    ]);
  });

  it('contains a fragment inside a rare function if nothing else uses the fragment', () => {
    const rare = defineFragment({ uses: [KEYS], rareFunction: 'forget(id)', body: '  key()' });
    expect(sourceOf([rare]).split('\n')).toEqual([
      'local function forget(id)',
      'local function name() end',
      'local function key() name() end',
      '  key()',
      'end',
    ]);
  });

  it('contains a fragment once, before the rare function, if it is also used elsewhere', () => {
    const rare = defineFragment({ uses: [KEYS], rareFunction: 'forget(id)', body: '  key()' });
    expect(sourceOf([rare, NAMES]).split('\n')).toEqual([
      'local function name() end',
      'local function forget(id)',
      'local function key() name() end',
      '  key()',
      'end',
    ]);
  });
});
