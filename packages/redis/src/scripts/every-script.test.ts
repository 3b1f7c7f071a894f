import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defineScript } from '../define-script.ts';

/** A fragment or a script, parsed from its file. */
interface Part {
  /** The name of a fragment's constant, or of a script's file. */
  readonly name: string;
  /** The names of the fragments in `uses`. */
  readonly uses: readonly string[];
  /** The functions that a fragment defines. */
  readonly defines: readonly string[];
  /** All functions that it calls, also its own and those that Redis and the preamble define. */
  readonly calls: readonly string[];
  /** The names of a script's arguments. */
  readonly args: readonly string[];
  /** The variables of a fragment that outlive a call of its functions. Constants, in capitals, are not among them. */
  readonly stateVariables: readonly string[];
}

function allPartsOf(text: string): readonly (readonly [name: string, spec: string])[] {
  const parts = text.matchAll(
    /^(?:export )?const (\w+) = define(?:Fragment|Script)\(\{\n(.*?)^\}\);/gms,
  );
  return Array.from(parts, ([, name = '', spec = '']) => [name, spec]);
}

function partOf(name: string, spec: string): Part {
  const isScript = spec.includes('  args: {');
  const [, uses = ''] = /^ {2}uses: \[(.*?)\]/ms.exec(spec) ?? [];
  const [, lua] = /^ {2}(?:lua|body): `(.*)`,$/ms.exec(spec) ?? [];
  if (lua === undefined) throw new Error(`found no Lua in ${name}`);
  return {
    name,
    uses: uses.match(/\w+/g) ?? [],
    defines: distinctMatches(spec, /^(?:local function | {2}lazyFunction: ')(\w+)\(/gm),
    calls: distinctMatches(lua.replace(/--.*$/gm, ''), /(?<![.:\w]|\bfunction )(\w+)\(/g),
    args: distinctMatches(/^ {2}args: \{(.*?)\}/ms.exec(spec)?.[1] ?? '', /(\w+):/g),
    stateVariables: isScript ? [] : distinctMatches(lua, /^local (?!function\b)([a-z]\w*)/gm),
  };
}

/** The distinct matches of the pattern, or of its group if it has one. */
function distinctMatches(text: string, pattern: RegExp): readonly string[] {
  return [...new Set(Array.from(text.matchAll(pattern), ([match, group]) => group ?? match))];
}

const folder = new URL('./', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(new URL(file, folder), 'utf8') }));
const parts = files.flatMap(({ file, text }) =>
  allPartsOf(text).map(([name, spec]) => partOf(name === 'script' ? file : name, spec)),
);

interface NamedRead {
  readonly names: readonly string[];
  readonly fields: readonly string[];
}

/** The reads of a hash that name each value: `local a, b = unpack(redis.call('HMGET', key, 'a', 'b'))`. */
function namedReads(text: string): readonly NamedRead[] {
  const reads = text.matchAll(
    /local ([\w,\s]+?) =\s+unpack\(\s*redis\.call\('HMGET',.*?((?:'\w+',\s*)*'\w+')\)\)/gs,
  );
  return Array.from(reads, ([, names = '', fields = '']) => ({
    names: distinctMatches(names, /\w+/g),
    fields: distinctMatches(fields, /\w+/g),
  }));
}

describe('the Lua fragments and scripts of the Redis storage', () => {
  it('are all parsed by this test', () => {
    const count = files.map(({ text }) => text.match(/\bdefine(Fragment|Script)\(/g)?.length ?? 0);
    expect(parts.length).toBe(count.reduce((sum, each) => sum + each));
  });

  it('have unique names and functions', () => {
    for (const names of [parts.map(({ name }) => name), parts.flatMap(({ defines }) => defines)]) {
      expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    }
  });

  it('have no variable that outlives a call', () => {
    for (const { name, stateVariables } of parts) expect(stateVariables, name).toEqual([]);
  });

  it('have no argument with the name of a local variable that defineScript adds', () => {
    const { source } = defineScript({ name: 'any', keys: [], args: {}, lua: '' });
    const variables = distinctMatches(source, /(?:local|for) ([\w, ]+) =/g).flatMap((list) =>
      list.split(', '),
    );
    const locals = [...variables, ...distinctMatches(source, /local function (\w+)/g)];
    const args = parts.flatMap((part) => part.args);
    expect(locals).toEqual(expect.arrayContaining(['result', 'work', 'transition']));
    expect(args).toContain('deliveryId');
    expect(args.filter((name) => locals.includes(name))).toEqual([]);
  });

  // Lua looks a function up when it is called, so a missing function fails only when a branch that calls it runs.
  it.each(parts.map((part) => [part.name, part] as const))(
    'declare in `uses` exactly the fragments whose functions they call: %s',
    (name, { uses, calls }) => {
      const called = parts.filter(
        (other) => other.name !== name && other.defines.some((one) => calls.includes(one)),
      );
      expect(uses.toSorted()).toEqual(called.map((other) => other.name).toSorted());
    },
  );
});

describe('the reply of HMGET in a Lua script', () => {
  const readers = files.filter(({ text }) => text.includes("'HMGET'"));

  it.each(readers)(
    'is assigned to one variable per field, in the same order: $file',
    ({ text }) => {
      for (const { names, fields } of namedReads(text)) {
        const shared = names.filter((name) => fields.includes(name));
        expect(shared.map((name) => names.indexOf(name))).toEqual(
          shared.map((name) => fields.indexOf(name)),
        );
        expect(names.length).toBe(fields.length);
      }
    },
  );

  // `defineRecord` names the fields of a record; a list whose values are all of one kind needs no names.
  it.each(readers)(
    'is a record or a list unless it is assigned to variables: $file',
    ({ text }) => {
      const others = text.match(/'HMGET', (?:.*, \$\{\w+\.stored\}|[^\n]*, unpack\(\w+\))\)/g);
      const count = namedReads(text).length + (others?.length ?? 0);
      expect(count).toBe(text.match(/'HMGET'/g)?.length);
    },
  );

  it('is not indexed by a number', () => {
    for (const { file, text } of files) {
      expect(distinctMatches(text, /\b(?!KEYS\b|ARGV\b)\w+\[\d+\]/g), file).toEqual([]);
    }
  });
});
