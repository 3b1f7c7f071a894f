import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { EXPECTED_RESULTS, everyTransition } from '../support/storage/every-transition.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const PACKAGE = new URL('../../packages/redis/', import.meta.url);

/** The commands that the README lists: for all apps, for credentials, for webhooks. */
function documentedCommands(): readonly string[][] {
  const readme = readFileSync(new URL('README.md', PACKAGE), 'utf8');
  const list = /An access list needs[\s\S]*?on `latchhook:\*`/.exec(readme)?.[0] ?? '';
  return list
    .split(/for personal access tokens and factors|for webhooks/)
    .map((part) => matchesIn(part, /`([A-Z]+)`/g));
}

/** The commands that the scripts of these folders call. */
function commandsOfScripts(...folders: string[]): readonly string[] {
  const scripts = fileURLToPath(new URL('src/scripts/', PACKAGE));
  const files = readdirSync(scripts, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && folders.includes(dirname(file).split(sep)[0] ?? ''),
  );
  const sources = files.map((file) => readFileSync(join(scripts, file), 'utf8'));
  return matchesIn(sources.join('\n'), /redis\.p?call\('([A-Z]+)'/g);
}

function matchesIn(text: string, pattern: RegExp): string[] {
  return [...new Set(Array.from(text.matchAll(pattern), ([, name]) => name ?? ''))].sort();
}

/** Commands that the storage itself sends: no script calls them. */
const OUTSIDE_SCRIPTS = ['INFO', 'SCAN', 'SUBSCRIBE'];

describe('the access list in the README of @latchhook/redis', () => {
  const [common = [], credentials = [], webhooks = []] = documentedCommands();

  it('lists for all apps the commands that the scripts of sessions and challenges call', () => {
    const calls = commandsOfScripts('sessions', 'challenges', 'fragments');
    expect(calls).not.toEqual([]);
    expect(calls.filter((name) => !common.includes(name))).toEqual([]);
  });

  it.each([
    ['credentials', credentials, commandsOfScripts('mfa', 'personal-access-tokens')],
    ['webhooks', webhooks, commandsOfScripts('webhooks', 'queue')],
  ])(
    'lists for %s exactly the further commands that their scripts call',
    (_group, documented, calls) => {
      const further = calls.filter((name) => !common.includes(name));
      expect(documented.filter((name) => !OUTSIDE_SCRIPTS.includes(name))).toEqual(further);
    },
  );

  it('lists enough commands for every call of sessions and challenges', async () => {
    const admin = connect();
    const user = uniquePrefix();
    const allowed = common.map((name) => `+${name.toLowerCase()}`);
    await admin.call('ACL', 'SETUSER', user, 'on', '>word', '~*', ...allowed);
    onTestFinished(async () => void (await admin.call('ACL', 'DELUSER', user)));
    const url = Object.assign(new URL(inject('redisUrl')), { username: user, password: 'word' });
    const redis = connect(url.href, { enableReadyCheck: false });
    const clock = turnableClock();
    const options = { keyPrefix: uniquePrefix(), clock, deadlineMs: PATIENT_MS };
    const results = await everyTransition(redisStorage(redis, options), clock, 'ada');
    expect(results).toEqual(EXPECTED_RESULTS);
  });
});
