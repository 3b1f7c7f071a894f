import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { KeyOptions } from '@latchhook/core';
import { isCode } from './is-code.ts';

interface KeyFile {
  readonly signing: string;
  readonly refreshSecret: string;
  readonly encryption: string;
}

/** The folder of this clone in which the starters keep their keys. Not under version control. */
const DEMO_FOLDER = new URL('../.latchhook/', import.meta.url);
/** No other user of this machine may read the keys. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Reads the keys of the demo from a file, so that they survive restarts; creates the file at the first start. A real
 * app reads its keys from a secret store.
 */
export function demoKeys(folder: URL = DEMO_FOLDER): Required<KeyOptions> {
  const file = new URL('demo-keys.json', folder);
  const { signing, refreshSecret, encryption } = readKeys(file) ?? createKeys(folder, file);
  return {
    signing,
    refreshSecrets: [Buffer.from(refreshSecret, 'base64')],
    encryption: [Buffer.from(encryption, 'base64')],
  };
}

function readKeys(file: URL): KeyFile | null {
  try {
    // The file may have been copied or restored with a wider mode.
    chmodSync(file, FILE_MODE);
    return JSON.parse(readFileSync(file, 'utf8')) as KeyFile;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function createKeys(folder: URL, file: URL): KeyFile {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys: KeyFile = {
    signing: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    refreshSecret: randomBytes(32).toString('base64'),
    encryption: randomBytes(32).toString('base64'),
  };
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  const draft = new URL(`keys.${randomUUID()}.json`, folder);
  // `wx`: an existing file would keep its mode, and a process that has it open could read the keys.
  writeFileSync(draft, JSON.stringify(keys), { mode: FILE_MODE, flag: 'wx' });
  try {
    // `link` is atomic, and fails if the file exists: if several processes start together, one of them creates it.
    linkSync(draft, file);
    return keys;
  } catch (error) {
    const keysOfWinner = isCode(error, 'EEXIST') ? readKeys(file) : null;
    if (keysOfWinner === null) throw error;
    return keysOfWinner;
  } finally {
    rmSync(draft, { force: true });
  }
}
