import type { UserStore } from '@latchhook/core';

/** Recovery codes that a user store has for its users, as they are typed in. */
export type RecoveryCodes = Readonly<Record<string, readonly string[]>>;

/** The same user store with recovery codes, which it uses up. Each call begins with all of them unused. */
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
    // Decided synchronously, so that of two parallel calls only one succeeds.
    consumeRecoveryCode: async (userId, code) => unused.delete(`${userId}:${code}`),
  };
}
