import { KeyObject } from 'node:crypto';
import { assertNames, type NamesOf } from '../assert-names.ts';
import { ConfigError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import {
  type PublicJwk,
  readSigningKey,
  type SigningKey,
  type SigningKeyMaterial,
  type VerificationKey,
} from './signing-key.ts';

/**
 * A key with its dates, for a rotation that rejects no request: publish, sign, retire.
 *
 * The key is published and verifies from the start, so that no verifier meets a signature by an unknown key. Let at
 * least 15 minutes pass between its deployment and `signsFrom`, because other services cache the JWK set. Between
 * `signsFrom` of the successor and `retiresAt` of this key, let at least the longest lifetime of an access token plus
 * five minutes pass.
 */
export interface ScheduledSigningKey {
  readonly key: SigningKeyMaterial;
  /** When the key takes over signing from its predecessor. Default: earlier than any date. */
  readonly signsFrom?: Date;
  /** When the key stops being published and trusted: tokens that it has signed are rejected. Default: never. */
  readonly retiresAt?: Date;
}

const NAMES: NamesOf<ScheduledSigningKey> = { key: true, signsFrom: true, retiresAt: true };

/** A private key, plain or with its dates. */
export type SigningKeyInput = SigningKeyMaterial | ScheduledSigningKey;

/** The keys of access tokens, by their dates and the current time. No method does I/O. */
export interface SigningKeys {
  /**
   * The key that signs now: among the keys that have not retired, the key with the latest `signsFrom` that has
   * passed; if several have the same date, the first in the list.
   *
   * @throws {Error} if every key has retired, which only a new configuration can mend
   */
  signingKey(): SigningKey;

  /** The length of the longest signature by any of the keys. */
  readonly maxSignatureBytes: number;

  /** The key of a `kid`; `undefined` if it is unknown or has retired. */
  verificationKey(kid: string): VerificationKey | undefined;

  /** All keys, even retired ones, for comparison with other keys. */
  privateKeys(): readonly KeyObject[];

  /** The JWK set to publish (RFC 7517): every key that has not retired. */
  publicJwks(): { readonly keys: readonly PublicJwk[] };
}

interface RingKey extends SigningKey {
  readonly signsFromMs: number;
  readonly retiresAtMs: number;
}

/**
 * Reads the keys once, synchronously.
 *
 * @throws {ConfigError} the codes of {@link readSigningKey}, and `signing_key_schedule_invalid`, `option_unknown`,
 * `signing_key_duplicate`, `signing_key_inactive`
 */
export function createSigningKeys(inputs: readonly SigningKeyInput[], clock: Clock): SigningKeys {
  const keys = new Map<string, RingKey>();
  for (const input of inputs) {
    const key = toRingKey(input);
    if (keys.has(key.kid)) {
      throw new ConfigError(
        'signing_key_duplicate',
        `The signing key ${key.kid} is listed twice. Leave one of the two out.`,
      );
    }
    keys.set(key.kid, key);
  }
  if (keys.size === 0) {
    throw new ConfigError(
      'signing_key_missing',
      'There is no signing key. Give at least one private key.',
    );
  }

  const ring = {
    signingKey: () => {
      const key = currentSigner(keys.values(), clock.nowMs());
      if (key === undefined) throw new Error('No signing key is active: all of them have retired');
      return key;
    },
    maxSignatureBytes: Math.max(...Array.from(keys.values(), (key) => key.signatureBytes)),
    verificationKey: (kid: string) => {
      const key = keys.get(kid);
      return key !== undefined && clock.nowMs() < key.retiresAtMs ? key : undefined;
    },
    privateKeys: () => [...keys.values()].map((key) => key.privateKey),
    publicJwks: () => {
      const nowMs = clock.nowMs();
      const liveKeys = [...keys.values()].filter((key) => nowMs < key.retiresAtMs);
      return { keys: liveKeys.map((key) => key.publicJwk) };
    },
  };

  if (currentSigner(keys.values(), clock.nowMs()) === undefined) {
    throw new ConfigError(
      'signing_key_inactive',
      'No signing key may sign now: each is retired, or its signsFrom lies ahead. Keep the previous key in the list until its successor signs.',
    );
  }
  assertNoGap([...keys.values()], clock.nowMs());
  return ring;
}

/** Rejects a schedule in which the last active key retires before its successor signs. */
function assertNoGap(keys: readonly RingKey[], nowMs: number): void {
  const gap = keys.find(
    ({ retiresAtMs }) =>
      retiresAtMs > nowMs &&
      currentSigner(keys, retiresAtMs) === undefined &&
      keys.some(({ signsFromMs }) => signsFromMs > retiresAtMs),
  );
  if (gap === undefined) return;
  throw new ConfigError(
    'signing_key_schedule_invalid',
    `From ${new Date(gap.retiresAtMs).toISOString()} on no signing key may sign until a later one does. Set its signsFrom no later than the retiresAt of the key before it.`,
  );
}

function currentSigner(keys: Iterable<RingKey>, nowMs: number): SigningKey | undefined {
  let signer: RingKey | undefined;
  for (const key of keys) {
    const isActive = key.signsFromMs <= nowMs && nowMs < key.retiresAtMs;
    if (isActive && (signer === undefined || key.signsFromMs > signer.signsFromMs)) signer = key;
  }
  return signer;
}

function toRingKey(input: SigningKeyInput): RingKey {
  // With a misspelt date a key would sign too soon, or be trusted forever, unnoticed.
  if (isScheduled(input)) assertNames('keys.signing', 'signing_key_schedule_invalid', input, NAMES);
  const { key, signsFrom, retiresAt } = isScheduled(input) ? input : { key: input };
  const signsFromMs =
    signsFrom === undefined ? Number.NEGATIVE_INFINITY : millisecondsOf(signsFrom);
  const retiresAtMs =
    retiresAt === undefined ? Number.POSITIVE_INFINITY : millisecondsOf(retiresAt);
  if (retiresAtMs <= signsFromMs) {
    throw new ConfigError(
      'signing_key_schedule_invalid',
      'A signing key retires before it signs. Set retiresAt later than signsFrom.',
    );
  }
  return { ...readSigningKey(key), signsFromMs, retiresAtMs };
}

function isScheduled(input: SigningKeyInput): input is ScheduledSigningKey {
  return (
    typeof input === 'object' &&
    input !== null &&
    !(input instanceof KeyObject) &&
    // A JWK may have any member, but always has its type.
    !('kty' in input) &&
    'key' in input
  );
}

function millisecondsOf(date: Date): number {
  const milliseconds = date instanceof Date ? date.getTime() : Number.NaN;
  if (Number.isNaN(milliseconds)) {
    throw new ConfigError(
      'signing_key_schedule_invalid',
      'signsFrom and retiresAt of a signing key must be valid Dates: new Date("2027-01-31T00:00:00Z").',
    );
  }
  return milliseconds;
}
