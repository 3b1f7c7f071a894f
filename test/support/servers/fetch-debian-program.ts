import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchDebianPackages, type UnpackedPackages, unpackedPackages } from './debian-packages.ts';

/** A program, and where it is packaged. */
export interface DebianProgram {
  /** Its own folder in the cache. */
  readonly name: string;
  readonly packages: readonly string[];
  /** Where the packages put it, below the root. */
  readonly path: string;
}

/** A program that runs on this machine. */
export interface ProgramBinary {
  readonly path: string;
  /** Folders of shared libraries that came with it; empty where the system has them all. */
  readonly libraryPath: string;
}

/**
 * Gets a program from the packages of Debian or Ubuntu; the next run finds it in `node_modules/.cache/<name>`.
 *
 * @param runs - whether a binary starts here; one that was unpacked before and does not start is fetched again.
 * @returns `undefined` where the machine has no apt, or apt could not get the packages.
 */
export function fetchDebianProgram(
  { name, packages, path }: DebianProgram,
  runs: (binary: ProgramBinary) => boolean,
): ProgramBinary | undefined {
  const cached = programIn(unpackedPackages(name), path);
  if (cached !== undefined && runs(cached)) return cached;
  const fetched = programIn(fetchDebianPackages(name, packages), path);
  return fetched !== undefined && runs(fetched) ? fetched : undefined;
}

/** The environment that lets the binary find the libraries that came with it. */
export function environmentOf(binary: ProgramBinary): NodeJS.ProcessEnv {
  if (binary.libraryPath === '') return process.env;
  return { ...process.env, LD_LIBRARY_PATH: binary.libraryPath };
}

function programIn(
  unpacked: UnpackedPackages | undefined,
  path: string,
): ProgramBinary | undefined {
  if (unpacked === undefined) return undefined;
  const file = join(unpacked.root, path);
  return existsSync(file) ? { path: file, libraryPath: unpacked.libraryPath } : undefined;
}
