import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAuth } from '@latchhook/core';
import { expect, it, onTestFinished } from 'vitest';
import { demoKeys } from './demo-keys.ts';
import { demoUsers } from './demo-users.ts';

/** The URL of a folder that does not exist yet. Its parent is removed at the end of the test. */
function newFolder(): URL {
  const parent = mkdtempSync(join(tmpdir(), 'latchhook-demo-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return pathToFileURL(join(parent, 'keys/'));
}

const modeOf = (path: URL) => statSync(path).mode & 0o777;

it('demoKeys() writes a file that only its owner can read, regardless of the umask', () => {
  const previousUmask = process.umask(0);
  onTestFinished(() => void process.umask(previousUmask));
  const folder = newFolder();
  demoKeys(folder);
  expect(readdirSync(folder)).toEqual(['demo-keys.json']);
  expect(modeOf(folder)).toBe(0o700);
  expect(modeOf(new URL('demo-keys.json', folder))).toBe(0o600);
});

it('demoKeys() reads the keys of an existing file and narrows its mode to 0600', () => {
  const folder = newFolder();
  const keys = demoKeys(folder);
  const file = new URL('demo-keys.json', folder);
  chmodSync(file, 0o644);
  expect(demoKeys(folder)).toEqual(keys);
  expect(modeOf(file)).toBe(0o600);
});

it('createAuth accepts demo keys in the environment `production`', () => {
  const options = { issuer: 'https://api.example.com', users: demoUsers() } as const;
  const create = () =>
    createAuth({ ...options, environment: 'production', keys: demoKeys(newFolder()) });
  expect(create).not.toThrow();
});
