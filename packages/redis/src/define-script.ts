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
  /**
   * Whether calls with the same keys that are made in one turn of the event loop are sent as one command (ADR 54). Each
   * stays a transition of its own: it fails alone and lands late alone.
   */
  readonly batched?: boolean;
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
 * Makes the source of a script, which runs the transition for each call that a command carries.
 *
 * Time is read once, inside the script, so that the processes of the host need not agree on it. ARGV[1] replaces it in
 * tests only. The guard compares the server's true time in any case, as it is about when the command arrives.
 *
 * A call that fails is answered with its error among the answers of the others. But where all fail, the command does: a
 * client of the host's may have to see that (`reconnectOnError`, where a master has become a replica).
 *
 * Every key of a script is passed in KEYS, as Redis Cluster demands, and as a client with a `keyPrefix` of its own
 * rewrites KEYS only. The scripts of webhooks and of personal access tokens are passed a root, and append names to it:
 * the same slot, the same prefix (`docs/adr/0020-webhooks-share-one-hash-slot.md`).
 */
export function defineScript<const Key extends string, const Args extends ArgTypes>(
  spec: ScriptSpec<Key, Args>,
): Script<Key, Args> {
  const argNames = Object.keys(spec.args);
  const { functions, before } = sourceOf(spec.uses ?? []);
  const source = [
    PREAMBLE,
    ...spec.keys.map((name, index) => `local ${name}Key = KEYS[${index + 1}]`),
    argNames.length > 0 ? `local ${argNames.join(', ')}` : '',
    functions,
    'local function transition()',
    before,
    spec.lua,
    'end',
    callEach(spec.args),
  ].join('\n');
  return { ...spec, argNames, source, sha1: createHash('sha1').update(source).digest('hex') };
}

const PREAMBLE = `
local time = redis.call('TIME')
local serverMs = time[1] * 1000 + math.floor(time[2] / 1000)
local now = tonumber(ARGV[1]) or serverMs
local function answer(...) return {...} end
`;

/** Behind ARGV[1], each call has the server's time until which it may land, and its arguments. */
function callEach(args: ArgTypes): string {
  const read = Object.entries(args).map(([name, type], index) => {
    const value = `ARGV[at + ${index + 1}]`;
    return `${name} = ${type === 'text' ? value : `tonumber(${value})`}`;
  });
  return `
local answers, failed = {serverMs}, 0
for at = 2, #ARGV, ${read.length + 1} do
  local answered
  if serverMs > tonumber(ARGV[at]) then
    answered = answer('late')
  else
    ${read.join('\n    ')}
    answered = select(2, pcall(transition))
    -- What Lua itself throws, and Redis before 7, is a text.
    if type(answered) ~= 'table' then answered = {err = tostring(answered)} end
    if answered.err then failed = failed + 1 end
  end
  answers[#answers + 1] = answered
end
if failed > 0 and failed == #answers - 1 then return answers[2] end
return answers
`;
}
