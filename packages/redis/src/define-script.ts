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
   * The transition. It finds `now` (ms) and `work`, and ends in `return answer(outcome, ...)`. Hash fields read with
   * HMGET are `false` where absent; where they are many, `unpack` gives each a name. A
   * record that is answered as it was read has its names from `defineRecord`.
   */
  readonly lua: string;
  /**
   * Whether calls with the same keys that are made together may share a command. Each is still a transition of
   * its own: it fails alone, and lands late alone. What takes Redis much longer in one call than in another is added to
   * `work`.
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

/** Any script, whatever it is called with. */
export type AnyScript = Script<string, ArgTypes>;

/**
 * Makes the source of a script, which runs the transition for each call that a command carries.
 *
 * Time is read once, inside the script, so that the processes of the host need not agree on it. ARGV[1] replaces it in
 * tests only. The guard compares the server's true time in any case, as it is about when the command arrives.
 *
 * A call that fails is answered with its error, among the answers to the others. A command fails where the server is a
 * replica, which the host's client has to see (`reconnectOnError`), and where its only call does.
 *
 * Every key of a script is passed in KEYS, as Redis Cluster demands, and as a client with a `keyPrefix` of its own
 * rewrites KEYS only. The scripts of webhooks and of personal access tokens are passed a root, and append names to it:
 * the same slot, the same prefix (`docs/adr/0004-keep-what-a-transition-touches-in-one-hash-slot.md`).
 */
export function defineScript<const Key extends string, const Args extends ArgTypes>(
  spec: ScriptSpec<Key, Args>,
): Script<Key, Args> {
  const argNames = Object.keys(spec.args);
  const source = [
    PREAMBLE,
    ...spec.keys.map((name, index) => `local ${name}Key = KEYS[${index + 1}]`),
    argNames.length > 0 ? `local ${argNames.join(', ')}` : '',
    sourceOf(spec.uses ?? []),
    'local function transition()',
    spec.lua,
    'end',
    loopOverCalls(spec),
  ].join('\n');
  return { ...spec, argNames, source, sha1: createHash('sha1').update(source).digest('hex') };
}

const PREAMBLE = `
local time = redis.call('TIME')
local serverMs = time[1] * 1000 + math.floor(time[2] / 1000)
local now = tonumber(ARGV[1]) or serverMs
local work = 0
local function answer(...) return {...} end
`;

/**
 * The work after which a command leaves its further calls to another one, in calls: some half a millisecond. Redis does
 * nothing else meanwhile, and knows the time of the beginning only.
 */
export const MAX_WORK = 16;

/**
 * Behind ARGV[1], each call has the server's time until which it may land, and its arguments. These are locals of the
 * script, so none may have the name of a local of this loop.
 */
function loopOverCalls({ name, args }: ScriptSpec<string, ArgTypes>): string {
  const read = Object.entries(args).map(([arg, type], index) => {
    const value = `ARGV[at + ${index + 1}]`;
    return `${arg} = ${type === 'text' ? value : `tonumber(${value})`}`;
  });
  return `
local answers = {serverMs}
for at = 2, #ARGV, ${read.length + 1} do
  local isDone, answered = true, answer('command_expired')
  if work >= ${MAX_WORK} then
    answered = answer('left')
  elseif serverMs <= tonumber(ARGV[at]) then
    ${read.join('\n    ')}
    work = work + 1
    isDone, answered = pcall(transition)
  end
  local failure = not isDone and tostring(answered) or answered.err
  if failure then
    local code = failure:find('^%u+ ') and '' or 'ERR '
    answered = {err = code .. failure .. ' script: ${name}'}
    -- None of the calls can have written.
    if failure:find('READONLY', 1, true) then return answered end
  end
  answers[#answers + 1] = answered
end
if #answers == 2 and answers[2].err then return answers[2] end
return answers
`;
}
