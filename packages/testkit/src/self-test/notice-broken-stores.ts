import { AssertionError } from 'node:assert';
import { memoryStorage } from '@latchhook/core';
import { describe, expect, it } from 'vitest';
import type { StorageHarness } from '../storage-harness.ts';
import { type Suite, tryOn } from '../suite.ts';

/** For each claim of a suite the storages that must fail it, by what is wrong with them. */
export type BrokenStores = Readonly<Record<string, Readonly<Record<string, StorageHarness>>>>;

/** What a broken storage throws: anything else but a failed assertion is a mistake of the test. */
export class Outage extends Error {}

const soundStorage: StorageHarness = {
  open: async ({ clock }) => {
    const storage = memoryStorage({ clock });
    return { connect: async () => storage, close: async () => {} };
  },
};

/** A claim that nothing breaks claims nothing: each must hold for the reference, and fail for another. */
export function noticeBrokenStores(suite: Suite, brokenStores: BrokenStores): void {
  describe(suite.name, () => {
    it('has a broken storage for every claim', () => {
      expect(Object.keys(brokenStores).sort()).toEqual(Object.keys(suite.claims).sort());
    });

    for (const [claim, prove] of Object.entries(suite.claims)) {
      it(`${claim}: holds for the reference`, () => tryOn(soundStorage, prove));

      for (const [fault, harness] of Object.entries(brokenStores[claim] ?? {})) {
        it(`${claim}: fails where a storage ${fault}`, async () => {
          const failure = await tryOn(harness, prove).catch((error: unknown) => error);
          expect([AssertionError, Outage]).toContain((failure as object | undefined)?.constructor);
        });
      }
    }
  });
}
