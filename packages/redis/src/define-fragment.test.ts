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

  it('contains a fragment inside a lazy function if nothing else uses the fragment', () => {
    const lazy = defineFragment({ uses: [KEYS], lazyFunction: 'forget(id)', body: '  key()' });
    expect(sourceOf([lazy]).split('\n')).toEqual([
      'local function forget(id)',
      'local function name() end',
      'local function key() name() end',
      '  key()',
      'end',
    ]);
  });

  it('contains a fragment once, before the lazy function, if it is also used elsewhere', () => {
    const lazy = defineFragment({ uses: [KEYS], lazyFunction: 'forget(id)', body: '  key()' });
    expect(sourceOf([lazy, NAMES]).split('\n')).toEqual([
      'local function name() end',
      'local function forget(id)',
      'local function key() name() end',
      '  key()',
      'end',
    ]);
  });
});
