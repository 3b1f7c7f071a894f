import { memoryStorage, type PersonalAccessTokenStore, type Storage } from '@latchhook/core';
import type { PersonalAccessTokenHarness } from '../personal-access-token-trial.ts';
import type { TurnableClock } from '../turnable-clock.ts';
import { readThenWrite, type Transition } from './read-then-write.ts';

/** The reference with some methods of its personal access tokens done wrong. */
export function tokensThat(
  change: (
    sound: PersonalAccessTokenStore,
    clock: TurnableClock,
  ) => Partial<PersonalAccessTokenStore>,
): PersonalAccessTokenHarness {
  return {
    open: async ({ clock }) => {
      const sound = soundTokens(clock);
      const personalAccessTokens = { ...sound, ...change(sound, clock) };
      return { connect: async () => ({ personalAccessTokens }), close: async () => {} };
    },
  };
}

/** The reference, whose methods can be spread. */
export function soundTokens(clock: TurnableClock): PersonalAccessTokenStore {
  const storage = memoryStorage({ clock });
  return tokensBy((apply) => apply(storage));
}

/** Personal access tokens whose methods are no transitions. */
export const readThenWriteTokens: PersonalAccessTokenHarness = {
  open: async ({ clock }) => {
    const personalAccessTokens = tokensBy(readThenWrite(clock));
    return { connect: async () => ({ personalAccessTokens }), close: async () => {} };
  },
};

/** A process that keeps to itself what others should see. */
export const tokensOfEachConnection: PersonalAccessTokenHarness = {
  open: async ({ clock }) => ({
    connect: async () => ({ personalAccessTokens: soundTokens(clock) }),
    close: async () => {},
  }),
};

/** Each call is made by `transition`. */
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
