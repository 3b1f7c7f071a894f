import assert from 'node:assert/strict';

/** A shorter secret may be in a time or an id by chance. */
const MIN_SECRET_LENGTH = 8;

/**
 * Asserts that none of the secrets is in the dump: neither in plain text nor in hex, base64 or base64url, alone or
 * within something longer that was encoded as a whole. The failure names a secret only by its index.
 *
 * @param dump - Everything at rest, as one string; bytes as latin-1.
 * @param secrets - Tokens, codes and passwords that were in use, of at least 8 characters.
 */
export function assertHoldsNoSecrets(dump: string, secrets: readonly string[]): void {
  const foldedDump = dump.toLowerCase();
  for (const [index, secret] of secrets.entries()) {
    assert.ok(secret.length >= MIN_SECRET_LENGTH, `secret ${index} is too short to be looked for`);
    const bytes = Buffer.from(secret, 'utf8');
    const forms = {
      'plain text': dump.includes(secret) || dump.includes(bytes.toString('latin1')),
      hex: foldedDump.includes(bytes.toString('hex')),
      base64: encodedCores(bytes, 'base64').some((core) => dump.includes(core)),
      base64url: encodedCores(bytes, 'base64url').some((core) => dump.includes(core)),
    };
    for (const [form, isInDump] of Object.entries(forms)) {
      // Not `assert.match`, whose message would print the dump and the secret.
      assert.ok(!isInDump, `secret ${index} is at rest in ${form}`);
    }
  }
}

/**
 * The texts that the bytes become in base64 as a part of something longer: one for each of three alignments, without
 * the characters at both ends that depend on neighbouring bytes.
 */
function encodedCores(bytes: Buffer, encoding: 'base64' | 'base64url'): readonly string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding);
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return encoded.slice(start, end);
  });
}
