import type { ClientInfo } from '../client-info/client-info.ts';
import type { Scope } from '../scope.ts';
import type { ChallengeContext } from '../storage/challenge-store.ts';
import type { Denial } from '../users/entitlement.ts';
import type { User } from '../users/users.ts';
import type { LoginStart } from './login-start.ts';

/** What a login asks for, and where it comes from. */
export interface LoginTerms {
  readonly accountId: number | null;
  readonly scopes: readonly Scope[];
  readonly expirationSeconds: number | undefined;
  /** Kept with a challenge, whose answer names no version of its own. */
  readonly version: ChallengeContext['version'];
  readonly client: ClientInfo;
}

/** A login whose user was authenticated, by a password or by the host. */
export interface AuthenticatedLogin extends LoginTerms, Pick<ChallengeContext, 'amr' | 'actor'> {
  readonly user: User;
  readonly start: LoginStart;
}

/** Such a login has ended in neither a session nor a challenge. Nothing was emitted yet. */
export interface RefusedLogin {
  readonly outcome: 'refused';
  readonly reason: 'revoked_meanwhile' | Denial;
}
