import { ADA, GRACE } from '../../samples/login-samples.ts';
import { WHOLE } from '../../samples/personal-access-token-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import { tokensThat } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenList } from './token-list.ts';

const CROWD = { limit: 10_000, after: null } as const;

expectTokenFaultsNoticed(tokenList, {
  'has the tokens of one user, in the order of creation': {
    'lists by id': tokensThat((tokens) => ({
      list: async (userId, page) => {
        const listed = await tokens.list(userId, page);
        return listed.toSorted((a, b) => a.tokenId.localeCompare(b.tokenId));
      },
    })),
    'lists everybody’s': tokensThat((tokens) => ({
      list: async () => [...(await tokens.list(ADA, WHOLE)), ...(await tokens.list(GRACE, WHOLE))],
    })),
  },
  'comes in pages that are full, except the last': {
    'skips one between pages': tokensThat((tokens) => ({
      list: (userId, { limit, after }) => tokens.list(userId, { limit, after: after && after + 1 }),
    })),
    'repeats the last of a page': tokensThat((tokens) => ({
      list: async (userId, { limit, after }) => {
        const page = await tokens.list(userId, { limit, after: after && after - 1 });
        return page.length === 1 ? [] : page;
      },
    })),
    'ends a page early': tokensThat((tokens) => ({
      list: (userId, { limit, after }) => tokens.list(userId, { limit: limit - 1, after }),
    })),
    'knows no limit': tokensThat((tokens) => ({
      list: (userId, { after }) => tokens.list(userId, { limit: 100, after }),
    })),
  },
  'fills its pages, even if tokens in between have expired': {
    'cuts a page, then leaves out what has expired': tokensThat((tokens, clock) => {
      const endsAtMs = new Map<string, number>();
      const ttlMs = Number.MAX_SAFE_INTEGER / 2;
      return {
        create: (token, limits) => {
          endsAtMs.set(token.tokenId, clock.nowMs() + token.ttlMs);
          return tokens.create({ ...token, ttlMs }, limits);
        },
        list: async (userId, page) => {
          const listed = await tokens.list(userId, page);
          return listed.filter(({ tokenId }) => clock.nowMs() < (endsAtMs.get(tokenId) ?? 0));
        },
      };
    }),
  },
  'continues after a token that was revoked': {
    'looks for the last one seen': tokensThat((tokens) => ({
      list: async (userId, page) => {
        const all = await tokens.list(userId, CROWD);
        const isThere = all.some(({ sequence }) => sequence === page.after);
        return page.after === null || isThere ? tokens.list(userId, page) : [];
      },
    })),
    'counts by place': tokensThat((tokens) => ({
      list: async (userId, { limit, after }) => {
        const all = await tokens.list(userId, CROWD);
        return all.slice(after ?? 0, (after ?? 0) + limit);
      },
    })),
  },
  'continues with a token created after the newest was revoked': {
    'gives a number that is free again': tokensThat((tokens) => {
      const numbers = new Map<string, number>();
      return {
        create: async (token, limits) => {
          const taken = (await tokens.list(token.userId, CROWD)).map(
            ({ tokenId }) => numbers.get(tokenId) ?? 0,
          );
          const sequence = Math.max(0, ...taken) + 1;
          numbers.set(token.tokenId, sequence);
          const answer = await tokens.create(token, limits);
          if (answer.outcome !== 'created') return answer;
          return { ...answer, token: { ...answer.token, sequence } };
        },
        list: async (userId, { limit, after }) => {
          const numbered = (await tokens.list(userId, CROWD)).map((record) => ({
            ...record,
            sequence: numbers.get(record.tokenId) ?? 0,
          }));
          return numbered.filter(({ sequence }) => sequence > (after ?? 0)).slice(0, limit);
        },
      };
    }),
  },
  'reveals nothing about other users by the sequence': {
    'counts all users together': tokensThat((tokens) => {
      let sequence = 0;
      return {
        create: async (token, limits) => {
          const answer = await tokens.create(token, limits);
          if (answer.outcome !== 'created') return answer;
          sequence += 1;
          return { ...answer, token: { ...answer.token, sequence } };
        },
      };
    }),
  },
});
