import { describe, expect, it } from 'vitest';
import { splitCommaList } from '../scopes/scope-table.ts';
import { workMs } from '../work-ms.test.support.ts';

describe('a comma separated list', () => {
  it.each([
    ['user', ['user']],
    ['user,admin', ['user', 'admin']],
    ['user  ,  admin', ['user', 'admin']],
    [' user, admin ', [' user', 'admin ']],
    ['user,,admin', ['user', '', 'admin']],
    ['', ['']],
    [',', ['', '']],
  ])('%j has the items %j', (list, items) => {
    expect(splitCommaList(list)).toEqual(items);
  });

  it('is split in less than 20 ms with 200,000 spaces', () => {
    const tookMs = workMs(() => {
      splitCommaList(`${' '.repeat(100_000)}x${' '.repeat(100_000)},`);
    });
    expect(tookMs).toBeLessThan(20);
  });
});
