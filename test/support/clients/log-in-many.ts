import { type AppClient, type TokenPair, tokensOf } from '../apps/app-client.ts';

/** Makes `count` logins of one user, four at a time, because the concurrency limiter would shed more. */
export async function logInMany(
  client: AppClient,
  username: string,
  count: number,
): Promise<readonly TokenPair[]> {
  const sessions: TokenPair[] = [];
  while (sessions.length < count) {
    const batch = Math.min(4, count - sessions.length);
    const responses = await Promise.all(
      Array.from({ length: batch }, () => client.login(username)),
    );
    sessions.push(...responses.map(tokensOf));
  }
  return sessions;
}
