import { describe, expect, it } from 'vitest';
import { defineFragment, sourceOf } from './define-fragment.ts';

const NAMES = defineFragment({ lua: 'local function name() end' });
const KEYS = defineFragment({ uses: [NAMES], lua: 'local function key() name() end' });

describe('the source of fragments', () => {
  it('has each once, behind those that it uses', () => {
    expect(sourceOf([KEYS, NAMES]).functions.split('\n')).toEqual([
      'local function name() end',
      'local function key() name() end',
    ]);
  });

  it('has what only a rare function uses inside it', () => {
    const rare = defineFragment({ uses: [KEYS], rareFunction: 'forget(id)', body: '  key()' });
    expect(sourceOf([rare]).functions.split('\n')).toEqual([
      'local function forget(id)',
      'local function name() end',
      'local function key() name() end',
      '  key()',
      'end',
    ]);
  });

  it('has what is needed outside of a rare function in front of it alone', () => {
    const rare = defineFragment({ uses: [KEYS], rareFunction: 'forget(id)', body: '  key()' });
    expect(sourceOf([rare, NAMES]).functions.split('\n')).toEqual([
      'local function name() end',
      'local function forget(id)',
      'local function key() name() end',
      '  key()',
      'end',
    ]);
  });

  it('is run before each call where it says so, but not where it is built in each call anyway', () => {
    const counter = defineFragment({ lua: 'local count = 0', before: 'count = 0' });
    const counts = defineFragment({ uses: [counter], lua: 'local function add() end' });
    const rare = defineFragment({
      uses: [counter],
      rareFunction: 'tell()',
      body: '  return count',
    });
    expect(sourceOf([counts, rare]).before).toBe('count = 0');
    expect(sourceOf([rare]).before).toBe('');
  });
});
