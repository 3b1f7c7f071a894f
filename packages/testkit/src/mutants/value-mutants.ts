import { CONTRACT } from '../engine/contract.ts';
import { type EngineMutant, faultyRows, type Mutation, mutantsThatBreak } from './engine-mutant.ts';

export const VALUE_MUTANTS: readonly EngineMutant[] = mutantsThatBreak(CONTRACT.value, {
  'truncates texts at NUL': changeTexts((text) => text.split('\u0000')[0] ?? ''),
  'replaces lone surrogates': changeTexts((text) => Buffer.from(text).toString()),
  'replaces characters of four bytes': changeTexts((text) =>
    text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?'),
  ),
  'stores Latin-1 characters only': changeTexts((text) =>
    Buffer.from(text, 'latin1').toString('latin1'),
  ),
  'normalises texts to NFC': changeTexts((text) => text.normalize('NFC')),
  'trims texts': changeTexts((text) => text.trim()),
  'unescapes texts': changeTexts((text) => text.replaceAll('\\\\', '\\')),
  'stores empty texts as null': changeParts((value) => (value === '' ? null : value)),
  'stores numbers as texts': changeParts((value) =>
    typeof value === 'number' ? `${value}` : value,
  ),
  'stores numbers as four-byte floats': changeParts((value) =>
    typeof value === 'number' ? Math.fround(value) : value,
  ),
  'reads texts of digits as numbers': changeParts((value) =>
    typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
  ),
  'rounds texts of dates to seconds': changeTexts((text) =>
    text.replace(/^(\d{4}-\d\d-\d\dT[\d:]+)\.\d+Z$/, '$1Z'),
  ),
  'drops members that are null': changeParts((value) => (value === null ? undefined : value)),
  'stores empty lists and objects as null': changeParts((value) =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? null : value,
  ),
  'cuts off member names at a dot': changeParts((value) =>
    renamed(value, (name) => name.split('.')[0] ?? ''),
  ),
  'stores member names in lower case': changeParts((value) =>
    renamed(value, (name) => name.toLowerCase()),
  ),
  'sorts lists': changeParts((value) => (Array.isArray(value) ? value.toSorted() : value)),
  'truncates texts to 64 KiB': changeTexts((text) => text.slice(0, 65_535)),
  'truncates values at 32 levels': faultyRows((rows) => ({
    put: ({ value, ...row }) => rows.put({ ...row, value: shallow(value, 32) }),
  })),
});

/** Changes each nested value, from the innermost outward. */
function changeParts(change: (value: unknown) => unknown): Mutation {
  return faultyRows((rows) => ({
    put: ({ value, ...row }) =>
      rows.put({
        ...row,
        value: JSON.parse(JSON.stringify(value), (_, part) => change(part)) ?? null,
      }),
  }));
}

function changeTexts(change: (text: string) => string): Mutation {
  return changeParts((value) => (typeof value === 'string' ? change(value) : value));
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [rename(name), part]));
}

function shallow(value: unknown, levels: number): unknown {
  if (!Array.isArray(value)) return value;
  return levels === 0 ? null : value.map((part) => shallow(part, levels - 1));
}
