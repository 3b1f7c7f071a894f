import { ADA, GRACE } from '../../samples/login-samples.ts';
import { WHOLE } from '../../samples/personal-access-token-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import { tokensThat } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenList } from './token-list.ts';

const CROWD = { limit: 10_000, after: null } as const;

expectTokenFaultsNoticed(tokenList, {
  'lists the tokens of one user in the order of creation': {
    'lists in the order of ids': tokensThat((tokens) => ({
      list: async (userId, page) => {
        const listed = await tokens.list(userId, page);
        return listed.toSorted((a, b) => a.tokenId.localeCompare(b.tokenId));
      },
    })),
    'lists tokens of all users': tokensThat((tokens) => ({
      list: async () => [...(await tokens.list(ADA, WHOLE)), ...(await tokens.list(GRACE, WHOLE))],
    })),
  },
  'fills every page except the last': {
    'skips a token between pages': tokensThat((tokens) => ({
      list: (userId, { limit, after }) => tokens.list(userId, { limit, after: after && after + 1 }),
    })),
    'repeats the last token of a page on the next': tokensThat((tokens) => ({
      list: async (userId, { limit, after }) => {
        const page = await tokens.list(userId, { limit, after: after && after - 1 });
        return page.length === 1 ? [] : page;
      },
    })),
    'lists one token too few per page': tokensThat((tokens) => ({
      list: (userId, { limit, after }) => tokens.list(userId, { limit: limit - 1, after }),
    })),
    'ignores the limit': tokensThat((tokens) => ({
      list: (userId, { after }) => tokens.list(userId, { limit: 100, after }),
    })),
  },
  'fills pages even if tokens in between have expired': {
    'counts expired tokens towards the page size': tokensThat((tokens, clock) => {
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
  'continues after a revoked token': {
    'lists nothing after a revoked token': tokensThat((tokens) => ({
      list: async (userId, page) => {
        const all = await tokens.list(userId, CROWD);
        const isThere = all.some(({ sequence }) => sequence === page.after);
        return page.after === null || isThere ? tokens.list(userId, page) : [];
      },
    })),
    'treats the cursor as an offset': tokensThat((tokens) => ({
      list: async (userId, { limit, after }) => {
        const all = await tokens.list(userId, CROWD);
        return all.slice(after ?? 0, (after ?? 0) + limit);
      },
    })),
  },
  'continues with a token created after the newest was revoked': {
    'reuses the sequence of a revoked token': tokensThat((tokens) => {
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
  'does not reveal in the sequence how many tokens other users create': {
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
