import { describe, expect, it } from 'vitest';
import { appsOf, rejectionsOf, tryStart } from '../support/apps/try-starter.ts';

const storageOf = (output: string) => /^storage: (.+)$/m.exec(output)?.[1];
const MEMORY = 'memory (the memory of this process)';

describe('a starter without storage settings', () => {
  it('keeps data in memory, and runs alongside another starter', async () => {
    const apps = appsOf(await Promise.all([tryStart({}), tryStart({})]));
    expect(apps.map((app) => storageOf(app.output()))).toEqual([MEMORY, MEMORY]);
  });

  it('treats an empty setting as absent', async () => {
    const settings = { DATA_DIR: '', DATABASE_URL: '', REDIS_URL: '', HOST: '', AUDIT_LOG: '' };
    const apps = appsOf([await tryStart(settings)]);
    const [output = ''] = apps.map((app) => app.output());
    expect(storageOf(output)).toBe(MEMORY);
    expect(output).toContain('listening on http://127.0.0.1:');
    expect(output).not.toContain('audit log');
  });
});

it('a starter with a HOST that it cannot listen on exits with 1 and names it', async () => {
  expect(rejectionsOf([await tryStart({ HOST: '192.0.2.1' })])).toEqual([
    expect.stringMatching(/ended with 1 .*HOST 192\.0\.2\.1/s),
  ]);
});

it('a starter with both DATA_DIR and DATABASE_URL exits with 1 and names them', async () => {
  const settings = { DATA_DIR: 'data', DATABASE_URL: 'postgres://127.0.0.1:1/none' };
  expect(rejectionsOf([await tryStart(settings)])).toEqual([
    expect.stringMatching(/ended with 1 .*DATA_DIR and DATABASE_URL contradict/s),
  ]);
});
