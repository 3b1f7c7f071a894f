import type { AccountId } from '../account-id.ts';
import type { ClientInfo } from '../client-info/client-info.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ChallengeContext } from '../storage/challenge-store.ts';
import type { Denial } from '../users/entitlement.ts';
import type { AnyUser } from '../users/users.ts';
import type { LoginStart } from './login-start.ts';

/** What a login requests, and its client. */
export interface LoginTerms {
  readonly accountId: AccountId | null;
  readonly scopes: readonly Scope[];
  readonly expirationSeconds: number | undefined;
  /** The API version, also of the answer to a challenge: the request that answers a challenge names none. */
  readonly version: ChallengeContext['version'];
  readonly client: ClientInfo;
  /** The longest access token that the client can store, in characters. Default: `ACCESS_TOKEN_MAX_LENGTH`. */
  readonly maxTokenChars?: number | undefined;
}

/** A login whose user was authenticated, by a password or by the host. */
export interface AuthenticatedLogin extends LoginTerms, Pick<ChallengeContext, 'amr' | 'actor'> {
  readonly user: AnyUser;
  readonly start: LoginStart;
}

/** A login that led to neither a session nor a challenge. No event was emitted yet. */
export interface RejectedLogin {
  readonly outcome: 'rejected';
  readonly reason: 'revoked_meanwhile' | Denial;
}
