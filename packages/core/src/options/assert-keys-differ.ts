import { createPrivateKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '../errors.ts';
import { MAKE_A_KEY } from '../keys/is-guessable.ts';
import { formsOf } from '../keys/key-forms.ts';
import { privateBytes } from '../keys/private-bytes.ts';

/** The keys for one purpose. */
export interface KeysOfPurpose {
  /** The name of the option: `keys.encryption`. */
  readonly option: string;
  readonly keys: readonly (string | Uint8Array | KeyObject)[];
}

/**
 * Rejects a key that has two purposes, even if it is written in two encodings: a leak of one option would be a leak of
 * the other.
 *
 * @throws {ConfigError} `keys_reused`
 */
export function assertKeysDiffer(purposes: readonly KeysOfPurpose[]): void {
  const owners = new Map<string, string>();
  for (const { option, keys } of purposes) {
    for (const form of keys.flatMap(bytesOf)) {
      const owner = owners.get(form) ?? option;
      owners.set(form, owner);
      if (owner === option) continue;
      throw new ConfigError(
        'keys_reused',
        `${owner} and ${option} have a key in common, and each needs its own; ${MAKE_A_KEY}`,
      );
    }
  }
}

/** All bytes that a key may stand for, in hex, so that they can be compared. */
function bytesOf(key: string | Uint8Array | KeyObject): string[] {
  const privateKey = toPrivateKey(key);
  const forms =
    typeof key === 'string' || key instanceof Uint8Array
      ? formsOf(key).map(({ bytes }) => bytes)
      : [];
  if (privateKey !== null) {
    const rawBytes = privateBytes(privateKey);
    forms.push(privateKey.export({ type: 'pkcs8', format: 'der' }));
    if (rawBytes !== null) forms.push(rawBytes);
  }
  return forms.map((bytes) => bytes.toString('hex'));
}

/** A secret may be a signing key in PEM, if two files were mixed up. */
function toPrivateKey(key: string | Uint8Array | KeyObject): KeyObject | null {
  if (typeof key !== 'string' && !(key instanceof Uint8Array)) return key;
  const text = Buffer.from(key).toString('latin1');
  if (!text.includes('PRIVATE KEY')) return null;
  try {
    return createPrivateKey(text.trim());
  } catch {
    // Damaged, or not a key. The cause is not rethrown, because it might contain a part of the key.
    return null;
  }
}
