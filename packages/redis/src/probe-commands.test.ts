import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { probesOf } from './probe-commands.ts';

/** The commands that the scripts of these folders call. */
function commandsIn(...folders: readonly string[]): readonly string[] {
  const sources = folders.flatMap((folder) => {
    const path = fileURLToPath(new URL(`./scripts/${folder}/`, import.meta.url));
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(path + file, 'utf8'));
  });
  const calls = sources.join('\n').matchAll(/redis\.p?call\('([A-Z]+)'/g);
  return [...new Set(Array.from(calls, ([, name]) => name ?? ''))].sort();
}

it.each([
  ['mfa', ['mfa', 'personal-access-tokens']],
  ['deliveries', ['webhooks', 'queue']],
] as const)(
  'the readiness probe of %s tries exactly the commands that its scripts call in addition to the common ones',
  (part, folders) => {
    const common = Object.keys(probesOf([]));
    const additional = Object.keys(probesOf([part])).filter((name) => !common.includes(name));
    const called = commandsIn(...folders).filter((name) => !common.includes(name));
    expect(additional.sort()).toEqual(called);
  },
);
