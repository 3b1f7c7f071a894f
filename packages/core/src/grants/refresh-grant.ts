import { isPromise } from '../awaitable.ts';
import type { ClientInfo } from '../client-info/client-info.ts';
import type { Policy } from '../policy.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { findLiveSession } from '../sessions/find-live-session.ts';
import type { RefreshTokenContent, RefreshTokens } from '../sessions/refresh-token.ts';
import type { SessionRecord, SessionStore } from '../storage/session-store.ts';
import { denied } from '../users/entitlement.ts';
import { standingOf } from '../users/standing.ts';
import type { User, UserDirectory } from '../users/users.ts';
import { LONGEST_AMR } from './authentication-methods.ts';
import type { ClaimsOfHost } from './claims-of-host.ts';
import type { IssuedTokens, IssueTokens } from './issue-tokens.ts';
import { createPresentRefreshToken, type Rotated } from './present-refresh-token.ts';
import { invalidRefreshToken, refreshRefusals } from './refresh-refusals.ts';
import { type Excess, type GrantRequest, requestedGrant } from './requested-grant.ts';
import type { TokenContent, TokenFits } from './token-fits.ts';

export interface RefreshGrantRequest extends GrantRequest {
  readonly refreshToken: string;
  readonly expirationSeconds: number | undefined;
  readonly client: ClientInfo;
}

export type RefreshGrant = (request: RefreshGrantRequest) => Promise<IssuedTokens>;

export interface RefreshGrantDeps {
  readonly users: Pick<UserDirectory, 'findById'>;
  readonly sessions: Pick<SessionStore, 'rotate' | 'list'>;
  readonly refreshTokens: RefreshTokens;
  readonly claimsOfHost: ClaimsOfHost;
  readonly tokenFits: TokenFits;
  readonly issueTokens: IssueTokens;
  readonly policy: Policy;
  readonly emit: (event: SecurityEvent) => void;
}

/**
 * Exchanges a refresh token for a new pair (RFC 6749 6, RFC 9700 4.14.2).
 *
 * Atomicity: the rotation is the only storage trip and the last step before signing that can fail; a request that is
 * refused before it has consumed nothing. (For a refused account or scope, or too many accounts, the trip is a read
 * instead, and for an older token a second one tells whether it is reused.) A crash after the rotation is covered by
 * the grace: when the client asks again, it is answered the same successor.
 */
export function createRefreshGrant(deps: RefreshGrantDeps): RefreshGrant {
  const { users, sessions, refreshTokens, claimsOfHost, tokenFits, emit } = deps;
  const fail = refreshRefusals(emit);
  const present = createPresentRefreshToken(deps);

  return async (request) => {
    const opened = refreshTokens.open(request.refreshToken);
    if (opened === null) throw invalidRefreshToken();
    const { content, secretId } = opened;
    const { client, expirationSeconds } = request;
    const user = await loadUser(content, client);
    const grant = requestedGrant(user, content, request);
    if (grant.outcome === 'excess') return refuseExcess(grant, content, client);
    const { accountId, scopes } = grant;
    const login = { accountId, scopes, authTimeMs: content.authTimeMs };
    const asked = claimsOfHost(user, login);
    const claims = isPromise(asked) ? await asked : asked;
    if (!(await fits({ user, ...login, claims }, content, client)))
      return refuseExcess(TOO_MANY, content, client);
    const { session, nowMs } = await rotate(content, client);
    return deps.issueTokens({
      user,
      session,
      nowMs,
      scopes,
      accountId,
      claims,
      expirationSeconds,
      secretId,
    });
  };

  /** The directory is asked at every refresh. */
  async function loadUser(content: RefreshTokenContent, client: ClientInfo): Promise<User> {
    const standing = standingOf(await users.findById(content.userId), content);
    if (standing.outcome !== 'good') throw fail.refused(content, client, standing.outcome);
    return standing.user;
  }

  /**
   * Whether a token names all that it has to. Its `amr` is in the store alone, which is asked only where that decides.
   *
   * @throws {AuthError} as `loadLiveSession`
   */
  async function fits(
    known: Omit<TokenContent, 'amr'>,
    content: RefreshTokenContent,
    client: ClientInfo,
  ): Promise<boolean> {
    if (tokenFits({ ...known, amr: LONGEST_AMR })) return true;
    const { amr } = await loadLiveSession(content, client);
    return tokenFits({ ...known, amr });
  }

  /**
   * Refuses a request that asks for too much of its session; it consumes nothing.
   *
   * @throws {AuthError} always: the error of the excess, or what the token itself is refused with
   */
  async function refuseExcess(
    { reason, error }: Excess,
    content: RefreshTokenContent,
    client: ClientInfo,
  ): Promise<never> {
    const session = await loadLiveSession(content, client);
    await detectReuse(content, session, client);
    throw fail.refused(content, client, reason, error);
  }

  /** If the session has ended, the refusal says so: a client that is told to ask for less would believe it alive. */
  async function loadLiveSession(
    content: RefreshTokenContent,
    client: ClientInfo,
  ): Promise<SessionRecord> {
    const session = await findLiveSession(sessions, content);
    if (session === undefined) throw fail.refused(content, client, 'ended');
    return session;
  }

  /**
   * Presents a token that is not the newest: it cannot rotate anything any more, whatever it asks for.
   *
   * @throws {AuthError} `invalid_grant` where it is reused, which ends the session, `too_many_requests`
   */
  async function detectReuse(
    content: RefreshTokenContent,
    session: SessionRecord,
    client: ClientInfo,
  ): Promise<void> {
    if (content.generation < session.generation) await present(content, client);
  }

  async function rotate(content: RefreshTokenContent, client: ClientInfo): Promise<Rotated> {
    const { userId, sessionId } = content;
    const result = await present(content, client);
    if (!sameGrant(content, result.session)) throw fail.refused(content, client, 'grant_mismatch');
    if (result.outcome === 'rolled_forward') {
      emit({ type: 'session.rolled_forward', userId, sessionId, ...client });
    }
    emit({
      type: 'session.refreshed',
      userId,
      sessionId,
      generation: result.session.generation,
      replayed: result.outcome === 'replayed',
      ...client,
    });
    return result;
  }
}

const TOO_MANY: Excess = {
  outcome: 'excess',
  reason: 'too_many_accounts',
  error: denied('too_many_accounts'),
};

/** The store must agree with what was sealed; where it does not, something has been tampered with. */
function sameGrant(content: RefreshTokenContent, session: SessionRecord): boolean {
  return (
    session.userId === content.userId &&
    session.sessionId === content.sessionId &&
    session.accountId === content.accountId &&
    session.scopes.join() === content.scopes.join()
  );
}
