import { expect, it } from 'vitest';
import { certifyUsers } from './certify-users.ts';
import { failingClaims } from './self-test/failing-claims.ts';
import { readThenWriteUsers, usersThat } from './self-test/faulty-users.ts';

it('claims nothing twice, and nothing that a sound table does not hold', async () => {
  const { held, failed } = await failingClaims(certifyUsers, usersThat());
  expect(failed).toEqual([]);
  expect(new Set(held).size).toBe(held.length);
});

it('claims of the writes those that the directory has', async () => {
  const { held, failed } = await failingClaims(certifyUsers, {
    ...usersThat(undefined, ({ directory: { findById, findByUsername } }) => ({
      directory: { findById, findByUsername },
    })),
    writes: [],
  });
  expect(failed).toEqual([]);
  expect(held.every((claim) => claim.startsWith('users: look-ups > '))).toBe(true);
});

it('needs races to notice a directory that reads, then writes', async () => {
  const { failed } = await failingClaims(certifyUsers, readThenWriteUsers);
  expect(failed).toEqual([
    'users: replacement of a password hash > of 32 parallel replacements exactly one answers true',
    'users: recovery codes > are taken by one of 32 parallel uses',
    'users: recovery codes > are used eight times if there are eight, however many try',
  ]);
});

it('asks for recovery codes to try if the directory takes them', async () => {
  const { failed } = await failingClaims(
    certifyUsers,
    usersThat(undefined, ({ directory }) => ({
      directory,
      addRecoveryCode: undefined as never,
    })),
  );
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.every((claim) => claim.startsWith('users: recovery codes > '))).toBe(true);
});
