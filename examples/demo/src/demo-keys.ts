import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { KeyOptions } from '@latchhook/core';
import { DEMO_FOLDER } from './demo-folder.ts';
import { isCode } from './is-code.ts';

interface KeyFile {
  readonly signing: string;
  readonly refreshSecret: string;
  readonly encryption: string;
}

const FILE = new URL('demo-keys.json', DEMO_FOLDER);

/**
 * Keys that survive restarts and are shared by all demo processes of this machine; made at the first start. A real app
 * takes them from its secret store.
 */
export function demoKeys(): Required<KeyOptions> {
  const { signing, refreshSecret, encryption } = readKeys() ?? makeKeys();
  return {
    signing,
    refreshSecrets: [Buffer.from(refreshSecret, 'base64')],
    encryption: [Buffer.from(encryption, 'base64')],
  };
}

function readKeys(): KeyFile | null {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as KeyFile;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function makeKeys(): KeyFile {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys: KeyFile = {
    signing: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    refreshSecret: randomBytes(32).toString('base64'),
    encryption: randomBytes(32).toString('base64'),
  };
  mkdirSync(DEMO_FOLDER, { recursive: true });
  const draft = new URL(`keys.${process.pid}.json`, DEMO_FOLDER);
  writeFileSync(draft, JSON.stringify(keys), { mode: 0o600 });
  try {
    // A link appears complete and only once: of processes that start together, one wins.
    linkSync(draft, FILE);
    return keys;
  } catch (error) {
    const winner = isCode(error, 'EEXIST') ? readKeys() : null;
    if (winner === null) throw error;
    return winner;
  } finally {
    rmSync(draft, { force: true });
  }
}
