import type { TestApp } from '../apps/test-app.ts';
import type { Fields } from './token-calls.ts';
import { bodyOf, callsOf, type ListBody, type UserCalls } from './webhook-calls.ts';

/** A personal access token in the list of its owner. */
export interface PatBody {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly account_id: number | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

/** A personal access token in the response to its creation. */
export type NewPatBody = PatBody & { readonly token: string };

export const PATS = '/users/self/pats';

/** The usual fields of a new token. */
export const NEW_PAT = { name: 'a script', scopes: ['user'] } as const;

/** Well-formed except for its checksum. */
export const GARBAGE_PAT = `lh_pat_${'0'.repeat(36)}`;

/** The calls of a user who has just logged in with scope `auth`, and so may manage tokens. */
export function managerOf(app: TestApp, user: string = 'ada'): Promise<UserCalls> {
  return callsOf(app, user, { scopes: 'auth' });
}

/** Makes a token; `fields` are added to the usual ones, or replace them. */
export async function makePat(manager: UserCalls, fields: Fields = {}): Promise<NewPatBody> {
  return bodyOf(await manager.send('POST', PATS, { ...NEW_PAT, ...fields }), 201);
}

export async function listPats(manager: UserCalls): Promise<readonly PatBody[]> {
  return bodyOf<ListBody<PatBody>>(await manager.send('GET', PATS), 200).data;
}

/** Revokes Ada's sessions, then her personal access tokens, as the documentation says. Returns the count of tokens. */
export async function revokeAllCredentials(app: TestApp): Promise<number> {
  await app.auth.sessions.revokeAll('ada');
  return app.auth.personalAccessTokens.revokeAll('ada');
}
