import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { certifyEngine } from './certify-engine.ts';
import { certifyLimiters } from './certify-limiters.ts';
import { certifyMfa } from './certify-mfa.ts';
import { certifyPersonalAccessTokens } from './certify-personal-access-tokens.ts';
import { certifyStartup } from './certify-startup.ts';
import { certifyStorage } from './certify-storage.ts';
import { certifyWebhooks } from './certify-webhooks.ts';
import type { StorageHarness } from './storage-harness.ts';
import type { TestRunner } from './test-runner.ts';

/** The names that a failing run prints. */
function suites(): readonly string[] {
  const names: string[] = [];
  const runner: TestRunner = { describe: (name) => names.push(name), it: () => {} };
  const harness: StorageHarness = { open: () => Promise.reject(new Error('nothing is tried')) };
  certifyEngine(runner, { open: () => Promise.reject(new Error('nothing is tried')) });
  for (const certify of [
    certifyStorage,
    certifyLimiters,
    certifyPersonalAccessTokens,
    certifyMfa,
    certifyStartup,
    certifyWebhooks,
  ]) {
    certify(runner, harness);
  }
  return names;
}

/** The names in the first column: what several have in front of a colon is there once. */
function listed(names: readonly string[]): readonly string[] {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const table = /## What each suite proves\n([\s\S]*?)\n\n[^|]/.exec(readme)?.[1] ?? '';
  const rows = Array.from(table.matchAll(/^\| (?<names>.*?) +\| /gm), ([, cell]) => cell ?? '');
  return rows.slice(2).flatMap((cell) => {
    if (names.includes(cell)) return [cell];
    const [group, rest] = cell.split(/(?<=: )/);
    return rest === undefined ? [cell] : rest.split(', ').map((name) => `${group}${name}`);
  });
}

describe('the table of suites in the README', () => {
  it('has each of them, and no other', () => {
    const names = suites();
    expect([...listed(names)].sort()).toEqual([...names].sort());
  });
});
