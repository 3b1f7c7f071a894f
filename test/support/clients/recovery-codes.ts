import type { UserStore } from '@latchhook/core';

/** Recovery codes by user, as users type them. */
export type RecoveryCodes = Readonly<Record<string, readonly string[]>>;

/** Adds recovery codes, each of which works once, to a user store. */
export function withRecoveryCodes<Users extends UserStore>(
  users: Users,
  codes: RecoveryCodes,
): Users & Required<Pick<UserStore, 'consumeRecoveryCode'>> {
  const unused = new Set(
    Object.entries(codes).flatMap(([userId, typed]) =>
      typed.map((code) => `${userId}:${code.replaceAll('-', '')}`),
    ),
  );
  return {
    ...users,
    // Synchronous, so that only one of two parallel calls succeeds.
    consumeRecoveryCode: async (userId, code) => unused.delete(`${userId}:${code}`),
  };
}
