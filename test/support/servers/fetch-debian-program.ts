import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchDebianPackages, type UnpackedPackages, unpackedPackages } from './debian-packages.ts';

/** A program in Debian packages. */
export interface DebianProgram {
  /** The name of its folder in the cache. */
  readonly name: string;
  readonly packages: readonly string[];
  /** Its path below the root. */
  readonly path: string;
}

/** A program that runs on this machine. */
export interface ProgramBinary {
  readonly path: string;
  /** The folders of its shared libraries; empty if the system has them all. */
  readonly libraryPath: string;
}

/**
 * Fetches a program from the packages of Debian or Ubuntu into `node_modules/.cache/<name>`, where later runs find it.
 *
 * @param runs - whether a binary starts on this machine; a cached binary that does not start is fetched again.
 * @returns `undefined` if the machine has no apt, or apt cannot get the packages.
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

/** The environment in which the binary finds its shared libraries. */
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
