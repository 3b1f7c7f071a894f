import type { UserDirectory } from '@latchhook/core';

/** Recovery codes that a directory holds for its users, as a client types them. */
export type RecoveryCodes = Readonly<Record<string, readonly string[]>>;

/** The same directory, which now can use up recovery codes. Each call starts with all of them unused. */
export function withRecoveryCodes<Users extends UserDirectory>(
  users: Users,
  codes: RecoveryCodes,
): Users & Required<Pick<UserDirectory, 'consumeRecoveryCode'>> {
  const unused = new Set(
    Object.entries(codes).flatMap(([userId, typed]) =>
      typed.map((code) => `${userId}:${code.replaceAll('-', '')}`),
    ),
  );
  return {
    ...users,
    // Synchronous up to its answer, so that of two parallel calls one is first.
    consumeRecoveryCode: async (userId, code) => unused.delete(`${userId}:${code}`),
  };
}
