/** The input of one run of argon2id except for the password, as in a PHC string. */
export interface Argon2Work {
  readonly version: number;
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tagBytes: number;
}

export interface Argon2Phc extends Argon2Work {
  readonly tag: Buffer;
}

/** Every argon2id string starts like this, even an unusable one. */
export const ARGON2ID_PREFIX = '$argon2id$';
/** RFC 9106. Strings without `v=` are of version 0x10. */
export const ARGON2_VERSION = 0x13;

/**
 * The costliest stored hash that is computed. Anyone who can write to the users table could otherwise take all
 * of the process's memory with one login: `m` goes up to 4 TiB.
 */
export const ARGON2_CAPS = { memoryKib: 262_144, iterations: 10, parallelism: 4 };

/** Salts of 8 to 64 bytes, tags of 16 to 64: with a shorter tag, a wrong password could match by chance. */
const PHC =
  /^\$argon2id(?:\$v=(?<v>16|19))?\$(?<work>[mtp]=\d{1,10}(?:,[mtp]=\d{1,10}){2})\$(?<salt>[A-Za-z0-9+/]{11,86})\$(?<tag>[A-Za-z0-9+/]{22,86})$/;

/** Reads a PHC string of argon2id; `null` if the text is not such a string, or exceeds {@link ARGON2_CAPS}. */
export function parseArgon2Phc(phc: string): Argon2Phc | null {
  const fields = PHC.exec(phc)?.groups;
  if (fields === undefined) return null;
  // The order varies: npm's argon2 wrote `m,t,p` up to 0.44, and writes `m,p,t` since 0.45.
  const parameters = new Map(
    (fields['work'] ?? '').split(',').map((pair) => [pair[0], pair.slice(2)]),
  );
  if (parameters.size < 3) return null;
  const memoryKib = Number(parameters.get('m'));
  const iterations = Number(parameters.get('t'));
  const parallelism = Number(parameters.get('p'));
  if (memoryKib > ARGON2_CAPS.memoryKib) return null;
  if (iterations < 1 || iterations > ARGON2_CAPS.iterations) return null;
  if (parallelism < 1 || parallelism > ARGON2_CAPS.parallelism) return null;
  // RFC 9106 3.1: at least eight blocks of memory per lane.
  if (memoryKib < 8 * parallelism) return null;
  const tag = Buffer.from(fields['tag'] ?? '', 'base64');
  return {
    version: Number(fields['v'] ?? 0x10),
    memoryKib,
    iterations,
    parallelism,
    salt: Buffer.from(fields['salt'] ?? '', 'base64'),
    tagBytes: tag.length,
    tag,
  };
}

export function formatArgon2Phc(work: Argon2Work, tag: Buffer): string {
  const { version, memoryKib, iterations, parallelism, salt } = work;
  return `${ARGON2ID_PREFIX}v=${version}$m=${memoryKib},t=${iterations},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
