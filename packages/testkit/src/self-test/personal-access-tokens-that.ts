import type { PersonalAccessTokenStore, Storage } from '@latchhook/core/storage';
import { harnessesOf } from './harnesses-of.ts';
import type { Transition } from './read-then-write.ts';

/** Stores of personal access tokens: the reference, and broken ones. */
export const {
  sound: soundTokens,
  that: tokensThat,
  readThenWrite: readThenWriteTokens,
  ofEachConnection: tokensOfEachConnection,
} = harnessesOf(tokensBy, (personalAccessTokens) => ({ personalAccessTokens }));

/** Makes each call by `transition`. */
function tokensBy(transition: Transition): PersonalAccessTokenStore {
  const onTokens = <Answer>(call: (tokens: PersonalAccessTokenStore) => Promise<Answer>) =>
    transition((storage) => call(tokensOf(storage)));
  return {
    create: (token, limits) => onTokens((tokens) => tokens.create(token, limits)),
    use: (tokenHash, options) => onTokens((tokens) => tokens.use(tokenHash, options)),
    list: (userId, page) => onTokens((tokens) => tokens.list(userId, page)),
    revoke: (ref) => onTokens((tokens) => tokens.revoke(ref)),
    revokeByHash: (tokenHash) => onTokens((tokens) => tokens.revokeByHash(tokenHash)),
    revokeAll: (userId) => onTokens((tokens) => tokens.revokeAll(userId)),
  };
}

function tokensOf({ personalAccessTokens, name }: Storage): PersonalAccessTokenStore {
  if (personalAccessTokens === undefined) throw new Error(`${name} has no tokens`);
  return personalAccessTokens;
}
