import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CONTRACT } from './contract.ts';

const source = new URL('../../../core/src/storage/engine/storage-engine.ts', import.meta.url);
const prose = readFileSync(source, 'utf8').replaceAll(/\s+(\* )?/g, ' ');

it.each(Object.values(CONTRACT))(
  'the doc comments of StorageEngine contain the rule of certifyEngine: %s',
  (sentence) => {
    expect(prose).toContain(sentence);
  },
);
