import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { USER_AGENT } from './user-agent.ts';

it('the User-Agent has the version of the package', () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  expect(USER_AGENT).toBe(`Latchhook/${version}`);
});
