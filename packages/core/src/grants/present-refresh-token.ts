import type { ClientInfo } from '../client-info/client-info.ts';
import type { Policy } from '../policy.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { RefreshTokenContent } from '../sessions/refresh-token.ts';
import type { RotateOutcome, SessionRecord, SessionStore } from '../storage/session-store.ts';
import { refreshRefusals } from './refresh-refusals.ts';

/** An outcome that leads to new tokens. */
export type Rotated = Extract<RotateOutcome, { readonly session: SessionRecord }>;

/**
 * Presents an authentic refresh token to the store, which rotates the session, or finds the token reused and ends it.
 *
 * @throws {AuthError} `invalid_grant` where it is reused, or the session has ended; `too_many_requests`,
 * `temporarily_unavailable`
 */
export type PresentRefreshToken = (
  content: RefreshTokenContent,
  client: ClientInfo,
) => Promise<Rotated>;

export interface PresentRefreshTokenDeps {
  readonly sessions: Pick<SessionStore, 'rotate'>;
  readonly policy: Policy;
  readonly emit: (event: SecurityEvent) => void;
}

export function createPresentRefreshToken(deps: PresentRefreshTokenDeps): PresentRefreshToken {
  const { sessions, policy, emit } = deps;
  const { graceMs, replayLimit, rollForwardLimit } = policy.rotation;
  const { idleMs } = policy.session;
  const fail = refreshRefusals(emit);

  return async (content, client) => {
    const { userId, sessionId, generation } = content;
    const result = await sessions.rotate({
      userId,
      sessionId,
      generation,
      graceMs,
      replayLimit,
      rollForwardLimit,
      idleMs,
    });
    switch (result.outcome) {
      case 'rotated':
      case 'rolled_forward':
      case 'replayed':
        return result;
      case 'busy':
        throw fail.busy(content, client);
      case 'reused':
        throw fail.reused(content, client);
      case 'expired':
      case 'revoked':
      case 'unknown':
        throw fail.refused(content, client, result.outcome);
    }
  };
}
