import type { AccountId } from '../account-id.ts';
import type { SecretId, SecretRing } from '../keys/secret-ring.ts';
import type { SessionRef } from '../storage/session-store.ts';
import { createTokenSigner } from '../tokens/signed-token.ts';

const PREFIX = 'lh_rt_';
const SESSION_ID_BYTES = 16;
/** Tokens live for ninety days, so a bit must keep its meaning when scopes are added or removed. */
const SCOPE_BITS: ReadonlyMap<string, number> = new Map([
  ['user', 1],
  ['admin', 2],
  ['internal', 4],
  ['auth', 8],
]);
/** Flag: the session is bound to an account. */
const ACCOUNT_BOUND = 0x80;
/** Flag: scopes of the app follow by name, because a name keeps its meaning when the app changes its other scopes. */
const HAS_APP_SCOPES = 0x40;
/** Flag: the account is a string, written as its length in one byte and its characters, not as eight bytes. */
const ACCOUNT_TEXT = 0x20;

/*
 * The parts of a token, and their lengths in bytes: session id 16, generation 4, flags 1; account 8 for an integer,
 * 1 + n for a string; time of authentication 6; the app's scopes 2 + n, or 0 if there are none; user id.
 */
const FLAGS_AT = SESSION_ID_BYTES + 4;
const ACCOUNT_AT = FLAGS_AT + 1;
const INTEGER_BYTES = 8;
const TIME_BYTES = 6;
const LENGTH_BYTES = 2;
/** The length of the parts that every token has, without its account and user id. */
const FIXED_BYTES = ACCOUNT_AT + TIME_BYTES;

/**
 * The content of a refresh token. Besides the ids it has the session's grant, so that the user can be looked up, and
 * scopes can be rejected, before the token is consumed: the rotation is the only storage call.
 */
export interface RefreshTokenContent extends SessionRef {
  readonly generation: number;
  /** The scopes that the login was granted, even if the app no longer has them. */
  readonly scopes: readonly string[];
  readonly accountId: AccountId | null;
  readonly authTimeMs: number;
}

export interface RefreshTokens {
  /** Makes the token of a generation: always the same string for the same content and secret. */
  sign(content: RefreshTokenContent, secretId?: SecretId): string;
  /** `null` for a token that no secret of the ring has signed. Asks no storage. */
  verify(
    token: string,
  ): { readonly content: RefreshTokenContent; readonly secretId: SecretId } | null;
}

/**
 * A successor is signed with its predecessor's secret, so that all processes return the same bytes for the same
 * rotation, even during a rollout of new secrets.
 */
export function createRefreshTokens(ring: SecretRing): RefreshTokens {
  const signer = createTokenSigner(ring, PREFIX);
  return {
    sign: (content, secretId) => signer.sign(encode(content), secretId),
    verify(token) {
      const verified = signer.verify(token);
      if (verified === null || verified.payload.length <= FIXED_BYTES) return null;
      return { content: decode(verified.payload), secretId: verified.secretId };
    },
  };
}

function encode(content: RefreshTokenContent): Buffer {
  const { scopes, accountId } = content;
  const appScopes = encodeNames(scopes.filter((scope) => bitOf(scope) === 0));
  const userId = Buffer.from(content.userId);
  const accountBytes = typeof accountId === 'string' ? 1 + accountId.length : INTEGER_BYTES;
  const bytes = Buffer.alloc(FIXED_BYTES + accountBytes + appScopes.length + userId.length);
  const flags = accountBits(accountId) | (appScopes.length === 0 ? 0 : HAS_APP_SCOPES);
  let at = bytes.write(content.sessionId, 0, SESSION_ID_BYTES, 'base64url');
  at = bytes.writeUInt32BE(content.generation, at);
  at = bytes.writeUInt8(
    scopes.reduce((bits, scope) => bits | bitOf(scope), flags),
    at,
  );
  if (typeof accountId === 'string') {
    at = bytes.writeUInt8(accountId.length, at);
    at += bytes.write(accountId, at, 'latin1');
  } else {
    at = bytes.writeBigInt64BE(BigInt(accountId ?? 0), at);
  }
  at = bytes.writeUIntBE(content.authTimeMs, at, TIME_BYTES);
  at += appScopes.copy(bytes, at);
  userId.copy(bytes, at);
  return bytes;
}

function decode(bytes: Buffer): RefreshTokenContent {
  const flags = bytes.readUInt8(FLAGS_AT);
  const { accountId, endsAt: timeAt } = readAccount(bytes, flags);
  const appScopesAt = timeAt + TIME_BYTES;
  const namesAt = appScopesAt + LENGTH_BYTES;
  const hasAppScopes = (flags & HAS_APP_SCOPES) !== 0;
  const userIdAt = hasAppScopes ? namesAt + bytes.readUInt16BE(appScopesAt) : appScopesAt;
  const builtIn = [...SCOPE_BITS.keys()].filter((scope) => (flags & bitOf(scope)) !== 0);
  return {
    sessionId: bytes.toString('base64url', 0, SESSION_ID_BYTES),
    generation: bytes.readUInt32BE(SESSION_ID_BYTES),
    scopes: hasAppScopes
      ? [...builtIn, ...bytes.toString('latin1', namesAt, userIdAt).split(' ')]
      : builtIn,
    accountId,
    authTimeMs: bytes.readUIntBE(timeAt, TIME_BYTES),
    userId: bytes.toString('utf8', userIdAt),
  };
}

function accountBits(accountId: AccountId | null): number {
  if (accountId === null) return 0;
  return typeof accountId === 'string' ? ACCOUNT_BOUND | ACCOUNT_TEXT : ACCOUNT_BOUND;
}

function readAccount(
  bytes: Buffer,
  flags: number,
): { readonly accountId: AccountId | null; readonly endsAt: number } {
  if (flags & ACCOUNT_TEXT) {
    const textAt = ACCOUNT_AT + 1;
    const endsAt = textAt + bytes.readUInt8(ACCOUNT_AT);
    return { accountId: bytes.toString('latin1', textAt, endsAt), endsAt };
  }
  const accountId = flags & ACCOUNT_BOUND ? Number(bytes.readBigInt64BE(ACCOUNT_AT)) : null;
  return { accountId, endsAt: ACCOUNT_AT + INTEGER_BYTES };
}

function encodeNames(names: readonly string[]): Buffer {
  if (names.length === 0) return Buffer.alloc(0);
  const text = Buffer.from(names.join(' '), 'latin1');
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(text.length);
  return Buffer.concat([length, text]);
}

/** 0 for the app's own scopes, which have no bits. */
function bitOf(scope: string): number {
  return SCOPE_BITS.get(scope) ?? 0;
}
