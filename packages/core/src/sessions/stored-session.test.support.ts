import type { Clock } from '../ports/clock.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { NewLogin, SessionStore } from '../storage/session-store.ts';

type Grant = Pick<NewLogin, 'userId' | 'sessionId' | 'scopes' | 'accountId' | 'authTimeMs' | 'amr'>;

/** A store in memory with one session that has just begun, and does not end by itself. */
export async function storedSession(grant: Grant, clock: Clock): Promise<SessionStore> {
  const { sessions } = memoryStorage({ clock });
  const client = { clientAddress: null, userAgent: null };
  const login = { ...grant, ...client, idleMs: 1e9, absoluteMs: 1e9, loginAgeMs: 0 };
  await sessions.create(login, { maxPerUser: 10 });
  return sessions;
}
