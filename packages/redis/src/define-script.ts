import { createHash } from 'node:crypto';
import { type Fragment, sourceOf } from './define-fragment.ts';

/** The arguments of a script and their types. An optional number that is `null` is `nil` in Lua. */
export type ArgTypes = Readonly<Record<string, 'text' | 'number' | 'optionalNumber'>>;

export type ArgValues<Args extends ArgTypes> = {
  readonly [Name in keyof Args]: Args[Name] extends 'text'
    ? string
    : Args[Name] extends 'number'
      ? number
      : number | null;
};

interface ScriptSpec<Key extends string, Args extends ArgTypes> {
  /** The name of its file, for errors. */
  readonly name: string;
  /** Each becomes a local in Lua, with `Key` behind its name: `live` is `liveKey`. */
  readonly keys: readonly Key[];
  /** Each becomes a local of this name in Lua. */
  readonly args: Args;
  /** The fragments with the functions that the transition calls. */
  readonly uses?: readonly Fragment[];
  /**
   * The transition. It finds `now` (ms), and ends in `return answer(outcome, ...)`. Hash fields read with
   * HMGET are `false` where absent; where they are many, `unpack` gives each a name. A
   * record that is answered as it was read has its names from `defineRecord`.
   */
  readonly lua: string;
}

/** A Lua script with its arguments, as Redis takes it. */
export interface Script<Key extends string, Args extends ArgTypes> extends ScriptSpec<Key, Args> {
  /** In the order of ARGV. */
  readonly argNames: readonly string[];
  readonly source: string;
  /** The hash by which EVALSHA finds it in the cache of the server. */
  readonly sha1: string;
}

/**
 * Puts the common preamble before a script.
 *
 * Time is read once, inside the script, so that the processes of the host need not agree on it. ARGV[2] replaces it in
 * tests only. The guard compares the server's true time in any case, as it is about when the command arrives.
 *
 * Every key of a script is passed in KEYS, as Redis Cluster demands, and as a client with a `keyPrefix` of its own
 * rewrites KEYS only. The scripts of webhooks and of personal access tokens are passed a root, and append names to it:
 * the same slot, the same prefix (`docs/adr/0020-webhooks-share-one-hash-slot.md`).
 */
export function defineScript<const Key extends string, const Args extends ArgTypes>(
  spec: ScriptSpec<Key, Args>,
): Script<Key, Args> {
  const keys = spec.keys.map((name, index) => `local ${name}Key = KEYS[${index + 1}]`);
  const argNames = Object.keys(spec.args);
  const args = argNames.map((name, index) => {
    const value = `ARGV[${index + GUARD_ARG_COUNT + 1}]`;
    return `local ${name} = ${spec.args[name] === 'text' ? value : `tonumber(${value})`}`;
  });
  const fragments = sourceOf(spec.uses ?? []);
  const source = [PREAMBLE, ...keys, ...args, fragments, spec.lua].join('\n');
  return { ...spec, argNames, source, sha1: createHash('sha1').update(source).digest('hex') };
}

/** ARGV[1] and ARGV[2] are the preamble's own: see `guardArgs` in `script-caller.ts`. */
const GUARD_ARG_COUNT = 2;

const PREAMBLE = `
local time = redis.call('TIME')
local serverMs = time[1] * 1000 + math.floor(time[2] / 1000)
local function answer(...) return {serverMs, ...} end
if serverMs > tonumber(ARGV[1]) then return answer('late') end
local now = tonumber(ARGV[2]) or serverMs
`;
