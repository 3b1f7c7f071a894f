import type { AccountId } from '../../account-id.ts';
import type { ClientInfo } from '../../client-info/client-info.ts';

/**
 * Events of personal access tokens, except for their use. They lack the names of tokens, which may contain anything.
 */
export type PersonalAccessTokenSecurityEvent<Id extends AccountId = AccountId> =
  /** The user has created a token. */
  | (ClientInfo & {
      readonly type: 'personal_access_token.created';
      readonly userId: string;
      readonly tokenId: string;
      readonly scopes: readonly string[];
      /** The account that the token is bound to, or `null`. */
      readonly accountId: Id | null;
      /** ms since 1970, by the clock of the storage. */
      readonly expiresAtMs: number;
    })
  /** A token was revoked. `actor` is `user` also if the session ended while the user created the token. */
  | (ClientInfo & {
      readonly type: 'personal_access_token.revoked';
      readonly userId: string;
      readonly tokenId: string;
      /** The account that the token was bound to, or `null`; absent if the user has revoked it by its id. */
      readonly accountId?: Id | null | undefined;
      readonly actor: 'user' | 'holder';
    })
  /** The host has reported a token as leaked, and the token has been revoked. */
  | (ClientInfo & {
      readonly type: 'personal_access_token.leaked';
      readonly userId: string;
      readonly tokenId: string;
      /** The account that the token was bound to, or `null`. */
      readonly accountId: Id | null;
    })
  /** The host has revoked all tokens of the user. */
  | (ClientInfo & {
      readonly type: 'personal_access_tokens.revoked_all';
      readonly userId: string;
      /** How many were live. */
      readonly count: number;
    });
