import { ADA, GRACE } from '../../samples/login-samples.ts';
import { WHOLE_LIST } from '../../samples/personal-access-token-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyResults, faultyTokens } from '../../self-test/faulty-storage.ts';
import { tokenList } from './token-list.ts';

const ALL_TOKENS = { limit: 10_000, after: null } as const;

expectTokenFaultsNoticed(tokenList, {
  'lists the tokens of one user in the order of creation': {
    'lists in the order of ids': faultyResults('personalAccessTokens', 'list', (listed) =>
      listed.toSorted((a, b) => a.tokenId.localeCompare(b.tokenId)),
    ),
    'lists tokens of all users': faultyTokens((tokens) => ({
      list: async () => [
        ...(await tokens.list(ADA, WHOLE_LIST)),
        ...(await tokens.list(GRACE, WHOLE_LIST)),
      ],
    })),
  },
  'fills every page of a list except the last': {
    'skips a token between pages': faultyTokens((tokens) => ({
      list: (userId, { limit, after }) => tokens.list(userId, { limit, after: after && after + 1 }),
    })),
    'repeats the last token of a page on the next': faultyTokens((tokens) => ({
      list: async (userId, { limit, after }) => {
        const page = await tokens.list(userId, { limit, after: after && after - 1 });
        return page.length === 1 ? [] : page;
      },
    })),
    'lists one token too few per page': faultyTokens((tokens) => ({
      list: (userId, { limit, after }) => tokens.list(userId, { limit: limit - 1, after }),
    })),
    'ignores the limit': faultyTokens((tokens) => ({
      list: (userId, { after }) => tokens.list(userId, { limit: 100, after }),
    })),
  },
  'fills pages of a list even if tokens in between have expired': {
    'counts expired tokens towards the page size': faultyTokens((tokens, { clock }) => {
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
  'continues a list after a revoked token': {
    'lists nothing after a revoked token': faultyTokens((tokens) => ({
      list: async (userId, page) => {
        const listed = await tokens.list(userId, ALL_TOKENS);
        const isListed = listed.some(({ sequence }) => sequence === page.after);
        return page.after === null || isListed ? tokens.list(userId, page) : [];
      },
    })),
    'treats the cursor as an offset': faultyTokens((tokens) => ({
      list: async (userId, { limit, after }) => {
        const listed = await tokens.list(userId, ALL_TOKENS);
        return listed.slice(after ?? 0, (after ?? 0) + limit);
      },
    })),
  },
  'continues a list with a token created after the newest token was revoked': {
    'reuses the sequence of a revoked token': faultyTokens((tokens) => {
      const sequences = new Map<string, number>();
      return {
        create: async (token, limits) => {
          const usedSequences = (await tokens.list(token.userId, ALL_TOKENS)).map(
            ({ tokenId }) => sequences.get(tokenId) ?? 0,
          );
          const sequence = Math.max(0, ...usedSequences) + 1;
          sequences.set(token.tokenId, sequence);
          const result = await tokens.create(token, limits);
          if (result.outcome !== 'created') return result;
          return { ...result, token: { ...result.token, sequence } };
        },
        list: async (userId, { limit, after }) => {
          const numbered = (await tokens.list(userId, ALL_TOKENS)).map((record) => ({
            ...record,
            sequence: sequences.get(record.tokenId) ?? 0,
          }));
          return numbered.filter(({ sequence }) => sequence > (after ?? 0)).slice(0, limit);
        },
      };
    }),
  },
  'does not reveal in the sequence how many tokens other users create': {
    'counts all users together': faultyTokens((tokens) => {
      let sequence = 0;
      return {
        create: async (token, limits) => {
          const result = await tokens.create(token, limits);
          if (result.outcome !== 'created') return result;
          sequence += 1;
          return { ...result, token: { ...result.token, sequence } };
        },
      };
    }),
  },
});
