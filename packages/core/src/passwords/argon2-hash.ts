import { randomBytes, timingSafeEqual } from 'node:crypto';
import { argon2 as argon2Module } from '../loading/dependencies.ts';
import { ARGON2_VERSION, type Argon2Work, formatArgon2Phc, parseArgon2Phc } from './argon2-phc.ts';
import type { SchemeAnswer } from './schemes/password-scheme.ts';

export interface Argon2Parameters {
  readonly memoryKib: number;
  readonly iterations: number;
}

const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Runs argon2id once and returns the tag. Every hash and every verification calls it. */
export type Argon2Compute = (password: string, work: Argon2Work) => Promise<Buffer>;

/** argon2id. The parameters of the app's options are called today's: stored hashes may have others. */
export interface Argon2Hasher {
  /** Returns a PHC string. */
  hash(password: string): Promise<string>;
  /** Recomputes at the *stored* parameters. Resolves to `unusable`, rather than rejects, if the hash cannot be used. */
  verify(phc: string, password: string): Promise<SchemeAnswer>;
  /** Whether a hash with today's parameters would be better than this hash. */
  isOutdated(phc: string): boolean;
  /** {@link dummyPhc} of today's parameters. */
  readonly dummy: string;
}

export function createArgon2Hasher(
  parameters: Argon2Parameters,
  compute: Argon2Compute = computeArgon2,
): Argon2Hasher {
  return {
    dummy: dummyPhc(parameters),
    async hash(password) {
      const work = newWork(parameters);
      return formatArgon2Phc(work, await compute(password, work));
    },
    async verify(phc, password) {
      const storedHash = parseArgon2Phc(phc);
      if (storedHash === null) return 'unusable';
      const tag = await compute(password, storedHash);
      return timingSafeEqual(tag, storedHash.tag) ? 'exact_match' : 'mismatch';
    },
    isOutdated(phc) {
      const storedHash = parseArgon2Phc(phc);
      if (storedHash === null || storedHash.version !== ARGON2_VERSION) return true;
      // A hash that is costlier than today's parameters is kept.
      if (cost(storedHash) > cost(parameters)) return false;
      return (
        storedHash.memoryKib !== parameters.memoryKib ||
        storedHash.iterations !== parameters.iterations ||
        storedHash.parallelism !== 1
      );
    },
  };
}

/**
 * A PHC string that no password matches, and that takes as long to reject as a real one. Its salt and tag are random:
 * it is made without a run of argon2id.
 */
export function dummyPhc(parameters: Argon2Parameters): string {
  return formatArgon2Phc(newWork(parameters), randomBytes(TAG_BYTES));
}

function newWork(parameters: Argon2Parameters): Argon2Work {
  return {
    version: ARGON2_VERSION,
    memoryKib: parameters.memoryKib,
    iterations: parameters.iterations,
    // The library's own default is four, which starts four threads outside of the pool for every login.
    parallelism: 1,
    // The salt is made here, synchronously: the library would make it in the thread pool, after other hashes.
    salt: randomBytes(SALT_BYTES),
    tagBytes: TAG_BYTES,
  };
}

function cost(parameters: Argon2Parameters): number {
  return parameters.memoryKib * parameters.iterations;
}

async function computeArgon2(password: string, work: Argon2Work): Promise<Buffer> {
  const argon2 = await argon2Module.load();
  return argon2.hash(password, {
    raw: true,
    type: argon2.argon2id,
    version: work.version,
    memoryCost: work.memoryKib,
    timeCost: work.iterations,
    parallelism: work.parallelism,
    salt: work.salt,
    hashLength: work.tagBytes,
  });
}
