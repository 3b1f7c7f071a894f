import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { KeyOptions } from '@latchhook/core';
import { DEMO_FOLDER } from './demo-folder.ts';
import { isCode } from './is-code.ts';

interface KeyFile {
  readonly signing: string;
  readonly refreshSecret: string;
  readonly encryption: string;
}

/** No other user of this machine may read the keys. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Keys that survive restarts and are shared by all demo processes of this machine; made at the first start. A real app
 * takes them from its secret store.
 */
export function demoKeys(folder: URL = DEMO_FOLDER): Required<KeyOptions> {
  const file = new URL('demo-keys.json', folder);
  const { signing, refreshSecret, encryption } = readKeys(file) ?? makeKeys(folder, file);
  return {
    signing,
    refreshSecrets: [Buffer.from(refreshSecret, 'base64')],
    encryption: [Buffer.from(encryption, 'base64')],
  };
}

function readKeys(file: URL): KeyFile | null {
  try {
    // It may have been copied, or restored, with wider rights.
    chmodSync(file, FILE_MODE);
    return JSON.parse(readFileSync(file, 'utf8')) as KeyFile;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function makeKeys(folder: URL, file: URL): KeyFile {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys: KeyFile = {
    signing: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    refreshSecret: randomBytes(32).toString('base64'),
    encryption: randomBytes(32).toString('base64'),
  };
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  const draft = new URL(`keys.${randomUUID()}.json`, folder);
  // A file that exists would keep its rights, and be read by the one who has it open.
  writeFileSync(draft, JSON.stringify(keys), { mode: FILE_MODE, flag: 'wx' });
  try {
    // A link appears complete and only once: of processes that start together, one wins.
    linkSync(draft, file);
    return keys;
  } catch (error) {
    const winner = isCode(error, 'EEXIST') ? readKeys(file) : null;
    if (winner === null) throw error;
    return winner;
  } finally {
    rmSync(draft, { force: true });
  }
}
