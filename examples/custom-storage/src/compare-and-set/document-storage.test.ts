import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { certifyStorage, type StorageHarness } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { documentStorage } from './document-storage.ts';
import { NEW_USER, type UserDocument } from './user-document.ts';
import { type Documents, UserTransitions } from './user-transitions.ts';

const GUIDE = new URL('../../../../docs/guides/storage-adapter.md', import.meta.url);
const SOURCE = new URL('user-transitions.ts', import.meta.url);

/** A store that has versions and nothing else. It answers some turns later, so that calls overlap. */
function memoryDocuments<State>(begun: State): Documents<State> {
  const rows = new Map<string, { readonly version: number; readonly text: string }>();
  return {
    async find(userId) {
      await turn();
      const { version, text } = rows.get(userId) ?? { version: 0, text: JSON.stringify(begun) };
      await turn();
      return { version, state: JSON.parse(text) };
    },
    async replace(userId, expectedVersion, state) {
      await turn();
      const { version } = rows.get(userId) ?? { version: 0 };
      if (version === expectedVersion) {
        rows.set(userId, { version: version + 1, text: JSON.stringify(state) });
      }
      await turn();
      return version === expectedVersion;
    },
  };
}

const harness: StorageHarness = {
  open: async ({ clock }) => {
    const documents = memoryDocuments<UserDocument>(NEW_USER);
    // Each has batches of its own, as each process has: within shared batches nothing would race.
    return { connect: async () => documentStorage(documents, clock), close: async () => {} };
  },
};

certifyStorage({ describe, it }, harness);

/** Counts up, and answers the new count. */
const count = (before: number) => ({ state: before + 1, answer: before + 1 });
const countTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

describe('transitions of one user', () => {
  it('go to the store together while another is there', async () => {
    const documents = memoryDocuments(0);
    const replace = vi.spyOn(documents, 'replace');
    const users = new UserTransitions(documents);
    const first = users.run('ada', count);
    await turn();
    const others = countTo(199).map(() => users.run('ada', count));
    expect(await Promise.all([first, ...others])).toEqual(countTo(200));
    expect(replace).toHaveBeenCalledTimes(2);
  });

  it('take as many rounds as there are processes, however many calls each has', async () => {
    const documents = memoryDocuments(0);
    const replace = vi.spyOn(documents, 'replace');
    const processes = countTo(8).map(() => new UserTransitions(documents));
    const calls = processes.flatMap((users) => countTo(25).map(() => users.run('ada', count)));
    expect(ascending(await Promise.all(calls))).toEqual(countTo(200));
    const made = await Promise.all(replace.mock.results.map(({ value }) => value));
    expect(made.filter((isStored) => isStored)).toHaveLength(8);
  });

  it('wait for none of another user, and for none that the store lost', async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const documents = memoryDocuments(0);
    vi.spyOn(documents, 'find').mockReturnValueOnce(new Promise(() => {}));
    const users = new UserTransitions(documents);
    const lost = expect(users.run('ada', count)).rejects.toThrow('did not answer within 1000 ms');
    await turn();
    vi.advanceTimersByTime(500);
    const behind = users.run('ada', count);
    expect(await users.run('grace', count)).toBe(1);
    vi.advanceTimersByTime(500);
    await lost;
    expect(await behind).toBe(1);
  });
});

it('goes by what the guide shows, to the letter', async () => {
  const [guide, source] = await Promise.all([readFile(GUIDE, 'utf8'), readFile(SOURCE, 'utf8')]);
  const blocks = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  expect(blocks.find((code) => code.includes('class UserTransitions'))).toBe(source);
});
