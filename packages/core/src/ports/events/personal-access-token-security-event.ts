import type { AccountId } from '../../account-id.ts';
import type { ClientInfo } from '../../client-info/client-info.ts';

/**
 * Events of personal access tokens, except for their use. They lack the names of tokens, which may contain anything.
 */
export type PersonalAccessTokenSecurityEvent<Id extends AccountId = AccountId> =
  /** The user has created one. */
  | (ClientInfo & {
      readonly type: 'personal_access_token.created';
      readonly userId: string;
      readonly tokenId: string;
      readonly scopes: readonly string[];
      /** The account that it is bound to, or `null`. */
      readonly accountId: Id | null;
      /** ms since 1970, by the clock of the storage. */
      readonly expiresAtMs: number;
    })
  /** Also if the session ended while the token was being created: then `actor` is `user`, who had requested it. */
  | (ClientInfo & {
      readonly type: 'personal_access_token.revoked';
      readonly userId: string;
      readonly tokenId: string;
      /** The account that it was bound to, or `null`; absent where the user has revoked it by its id. */
      readonly accountId?: Id | null | undefined;
      readonly actor: 'user' | 'holder';
    })
  /** The host has reported one as leaked; it has been revoked. */
  | (ClientInfo & {
      readonly type: 'personal_access_token.leaked';
      readonly userId: string;
      readonly tokenId: string;
      /** The account that it was bound to, or `null`. */
      readonly accountId: Id | null;
    })
  /** The host has revoked all that the user had. */
  | (ClientInfo & {
      readonly type: 'personal_access_tokens.revoked_all';
      readonly userId: string;
      /** How many were live. */
      readonly count: number;
    });
