import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CONTRACT } from './contract.ts';

const source = new URL('../../../core/src/storage/engine/storage-engine.ts', import.meta.url);
const prose = readFileSync(source, 'utf8').replaceAll(/\s+(\* )?/g, ' ');

it.each(Object.values(CONTRACT))('StorageEngine documents the rule: %s', (sentence) => {
  expect(prose).toContain(sentence);
});
