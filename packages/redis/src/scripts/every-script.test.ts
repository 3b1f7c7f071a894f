import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** A fragment or a script, as its file has it. */
interface Part {
  /** The name of its constant, or of the file of a script. */
  readonly name: string;
  /** The names of the fragments that it says it uses. */
  readonly uses: readonly string[];
  /** The functions that others may call. */
  readonly defines: readonly string[];
  /** The functions that it calls: its own, and what each script has, among them. */
  readonly calls: readonly string[];
}

function allPartsOf(text: string): readonly (readonly [name: string, spec: string])[] {
  const parts = text.matchAll(/^(?:export )?const (\w+) = define\w+\(\{\n(.*?)^\}\);/gms);
  return Array.from(parts, ([, name = '', spec = '']) => [name, spec]);
}

function partOf(name: string, spec: string): Part {
  const [, uses = ''] = /^ {2}uses: \[(.*?)\]/ms.exec(spec) ?? [];
  const [, lua] = /^ {2}(?:lua|body): `(.*)`,$/ms.exec(spec) ?? [];
  if (lua === undefined) throw new Error(`found no Lua in ${name}`);
  return {
    name,
    uses: uses.match(/\w+/g) ?? [],
    defines: all(spec, /^(?:local function | {2}rareFunction: ')(\w+)\(/gm),
    calls: all(lua.replace(/--.*$/gm, ''), /(?<![.:\w]|\bfunction )(\w+)\(/g),
  };
}

/** What the pattern, or its group, finds: each once. */
function all(text: string, pattern: RegExp): readonly string[] {
  return [...new Set(Array.from(text.matchAll(pattern), ([match, group]) => group ?? match))];
}

const folder = new URL('./', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(new URL(file, folder), 'utf8') }));
const parts = files.flatMap(({ file, text }) =>
  allPartsOf(text).map(([name, spec]) => partOf(name === 'script' ? file : name, spec)),
);

describe('the fragments and scripts', () => {
  it('are all read here', () => {
    const count = files.map(({ text }) => text.match(/\bdefine(Fragment|Script)\(/g)?.length ?? 0);
    expect(parts.length).toBe(count.reduce((sum, each) => sum + each));
  });

  it('define no name twice', () => {
    for (const names of [parts.map(({ name }) => name), parts.flatMap(({ defines }) => defines)]) {
      expect(names.filter((name, nth) => names.indexOf(name) !== nth)).toEqual([]);
    }
  });

  // Lua looks a function up when it is called: one that is missing shows where a branch is run that calls it.
  it.each(parts)('name what they call, and nothing else: $name', ({ name, uses, calls }) => {
    const called = parts.filter(
      (other) => other.name !== name && other.defines.some((one) => calls.includes(one)),
    );
    expect(uses.toSorted()).toEqual(called.map((other) => other.name).toSorted());
  });
});
