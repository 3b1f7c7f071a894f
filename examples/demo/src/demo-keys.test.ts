import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAuth } from '@latchhook/core';
import { expect, it, onTestFinished } from 'vitest';
import { demoKeys } from './demo-keys.ts';
import { demoUsers } from './demo-users.ts';

/** A folder to make, below one that is removed at the end. */
function folder(): URL {
  const parent = mkdtempSync(join(tmpdir(), 'latchhook-demo-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return pathToFileURL(join(parent, 'keys/'));
}

const modeOf = (path: URL) => statSync(path).mode & 0o777;

it('demoKeys() writes a file that only its owner can read, regardless of the umask', () => {
  const usual = process.umask(0);
  onTestFinished(() => void process.umask(usual));
  const made = folder();
  demoKeys(made);
  expect(readdirSync(made)).toEqual(['demo-keys.json']);
  expect(modeOf(made)).toBe(0o700);
  expect(modeOf(new URL('demo-keys.json', made))).toBe(0o600);
});

it('demoKeys() reads the keys of an existing file and narrows its mode to 0600', () => {
  const made = folder();
  const keys = demoKeys(made);
  const file = new URL('demo-keys.json', made);
  chmodSync(file, 0o644);
  expect(demoKeys(made)).toEqual(keys);
  expect(modeOf(file)).toBe(0o600);
});

it('createAuth accepts demo keys in production', () => {
  const options = { issuer: 'https://api.example.com', users: demoUsers() } as const;
  const make = () =>
    createAuth({ ...options, environment: 'production', keys: demoKeys(folder()) });
  expect(make).not.toThrow();
});
