import { describe, expect, it } from 'vitest';
import { randomId } from '../random-id.ts';
import { listPage } from '../schema/list-page.ts';
import type { SessionRecord } from '../storage/session-store.ts';
import { createListSessions } from './list-sessions.ts';

const YEAR_MS = 31_557_600_000;
const NOW_MS = 1_795_000_000_000;

function session(createdAtMs: number, rotatedAtMs: number = createdAtMs): SessionRecord {
  return {
    userId: 'ada',
    sessionId: randomId(),
    scopes: ['user'],
    accountId: null,
    amr: ['pwd'],
    authTimeMs: createdAtMs,
    clientAddress: null,
    userAgent: null,
    createdAtMs,
    expiresAtMs: createdAtMs + 1000,
    rotatedAtMs,
    generation: 1,
  };
}

describe('the list of a user’s sessions', () => {
  it('is ordered by login, newest first, even if an older session was refreshed later', async () => {
    const olderSession = session(NOW_MS - 2, NOW_MS);
    const newerSession = session(NOW_MS - 1);
    const list = createListSessions({ list: async () => [olderSession, newerSession] });
    expect(await list('ada', { limit: 10, after: null })).toMatchObject([
      newerSession,
      olderSession,
    ]);
  });

  it('has every session once even if sessions are refreshed or end between two pages', async () => {
    let live = Array.from({ length: 10 }, (_, i) => session(NOW_MS + i));
    const allIds = live.map(({ sessionId }) => sessionId);
    const list = createListSessions({ list: async () => live });
    const listedIds: string[] = [];
    let cursor: number | undefined;
    for (let page = 0; page < 4; page += 1) {
      const items = await list('ada', { limit: 3, after: cursor ?? null });
      listedIds.push(...items.map(({ sessionId }) => sessionId));
      cursor = items.at(-1)?.sequence;
      live = live
        .filter(({ sessionId }) => sessionId !== listedIds[0])
        .map((record) => ({ ...record, rotatedAtMs: NOW_MS + 100 + page }))
        .reverse();
    }
    expect(listedIds).toEqual(allIds.toReversed());
  });

  it('pages through logins of the same millisecond', async () => {
    const twins = [session(NOW_MS), session(NOW_MS), session(NOW_MS)];
    // Random ids might be the same in the part that decides the order; these differ.
    for (const [i, id] of ['AAAA', 'gAAA', '_AAA'].entries()) {
      Object.assign(twins[i] ?? {}, { sessionId: id });
    }
    const list = createListSessions({ list: async () => twins });
    const firstPage = await listPage({ limit: 1 }, (page) => list('ada', page));
    expect(firstPage.items.map(({ sessionId }) => sessionId)).toEqual(['_AAA']);
    const rest = await list('ada', { limit: 9, after: firstPage.items[0]?.sequence ?? null });
    expect(rest.map(({ sessionId }) => sessionId)).toEqual(['gAAA', 'AAAA']);
  });

  it('has sequences that are safe integers for eighty years', async () => {
    const list = createListSessions({ list: async () => [session(NOW_MS + 80 * YEAR_MS)] });
    const [item] = await list('ada', { limit: 1, after: null });
    expect(Number.isSafeInteger(item?.sequence)).toBe(true);
  });
});
