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
  /** Each name becomes a local in Lua, with the suffix `Key`: `live` is `liveKey`. */
  readonly keys: readonly Key[];
  /** Each name becomes a local in Lua. */
  readonly args: Args;
  /**
   * The names of tables, empty at first, in which a call keeps what it has read for the next calls of its command. A
   * value that a call may change, even one that fails after that, must not be in them.
   */
  readonly reads?: readonly string[];
  /** The fragments that define the functions that the transition calls. */
  readonly uses?: readonly Fragment[];
  /**
   * The body of the transition. It can use `now` (ms), its digits `nowText`, and `work` (see `batched`). It ends in
   * `return reply(outcome, ...)`, or returns the error reply of a `redis.pcall`, which becomes the error of the call.
   * HMGET returns `false` for an absent field. Assign its reply to named variables with `unpack`; for a record that is
   * returned unchanged, use `defineRecord` instead.
   */
  readonly lua: string;
  /**
   * Whether calls with the same keys that are made together may share a command. Each call is still a separate
   * transition, which fails or expires without the others. A call that costs Redis much more than an average call adds
   * to `work`.
   */
  readonly batched?: boolean;
  /**
   * The arguments that are sent once for all calls of a command. Calls that differ in them do not share a command. No
   * call may assign to them.
   */
  readonly sharedArgs?: readonly NoInfer<keyof Args & string>[];
}

/** A Lua script with its arguments, as it is sent to Redis. */
export interface Script<Key extends string, Args extends ArgTypes>
  extends Omit<ScriptSpec<Key, Args>, 'sharedArgs'> {
  /** The names of the arguments of a call in the order of ARGV, without the shared ones. */
  readonly argNames: readonly string[];
  readonly sharedArgs: readonly string[];
  readonly source: string;
  /** The hash by which EVALSHA finds the script in the cache of the server. */
  readonly sha1: string;
}

/** A script with any keys and arguments. */
export type AnyScript = Script<string, ArgTypes>;

/**
 * Builds the source of a script, which runs the transition for each call of a command.
 *
 * The script reads the time of the server once, so that the clocks of the processes need not agree. In tests, ARGV[1]
 * replaces this time. Whether a command has expired always depends on the server's real time.
 *
 * If a call fails, its result is the error, among the results of the other calls. The whole command fails if its only
 * call fails, or if the server is a replica: only then does the host's client reconnect (`reconnectOnError`).
 *
 * Every key is passed in KEYS because Redis Cluster requires this, and a client with a `keyPrefix` rewrites only KEYS.
 * The scripts of webhooks and of personal access tokens receive a root key and append names to it, so that all their
 * keys have the same slot and prefix (`docs/adr/0004-keep-what-a-transition-touches-in-one-hash-slot.md`).
 */
export function defineScript<const Key extends string, const Args extends ArgTypes>(
  spec: ScriptSpec<Key, Args>,
): Script<Key, Args> {
  const sharedArgs: readonly string[] = spec.sharedArgs ?? [];
  const argNames = Object.keys(spec.args).filter((name) => !sharedArgs.includes(name));
  const source = [
    PREAMBLE,
    ...spec.keys.map((name, index) => `local ${name}Key = KEYS[${index + 1}]`),
    ...sharedArgs.map((name, index) => `local ${readArg(spec.args, name, String(index + 2))}`),
    argNames.length > 0 ? `local ${argNames.join(', ')}` : '',
    ...(spec.reads ?? []).map((name) => `local ${name} = {}`),
    sourceOf(spec.uses ?? []),
    'local function transition()',
    spec.lua,
    'end',
    loopOverCalls(
      spec.name,
      argNames.map((name, index) => readArg(spec.args, name, `at + ${index + 1}`)),
      sharedArgs.length + 2,
    ),
  ].join('\n');
  const sha1 = createHash('sha1').update(source).digest('hex');
  return { ...spec, argNames, sharedArgs, source, sha1 };
}

/** Lua that assigns an argument to the variable of its name. */
function readArg(args: ArgTypes, name: string, index: string): string {
  return `${name} = ${args[name] === 'text' ? `ARGV[${index}]` : `tonumber(ARGV[${index}])`}`;
}

const PREAMBLE = `
local time = redis.call('TIME')
local serverMs = time[1] * 1000 + math.floor(time[2] / 1000)
local now = tonumber(ARGV[1]) or serverMs
local nowText = string.format('%d', now)
local work = 0
local function reply(...) return {...} end
`;

/**
 * The work, in average calls, after which a command returns `not_run` for each remaining call, which is then sent
 * again. While a command runs, Redis serves no other client, and `now` stays the time at which the command began.
 */
export const MAX_WORK = 16;

/**
 * After ARGV[1] and the shared arguments, ARGV has for each call the server's time at which the call expires, and its
 * arguments. The arguments are locals of the script, so no argument may have the name of a local of this loop.
 *
 * @param assignments - Lua that reads the arguments of the call at `ARGV[at]`
 * @param first - the index in ARGV of the first call
 */
function loopOverCalls(name: string, assignments: readonly string[], first: number): string {
  const stride = assignments.length + 1;
  return `
local results = {serverMs}
for at = ${first}, #ARGV, ${stride} do
  local succeeded, result = true, nil
  if work >= ${MAX_WORK} then
    result = reply('not_run')
  elseif serverMs <= tonumber(ARGV[at]) then
    ${assignments.join('\n    ')}
    work = work + 1
    succeeded, result = pcall(transition)
  else
    result = reply('command_expired')
  end
  local failure
  -- An error of Lua can be any value, not only text.
  if succeeded then failure = result.err else failure = tostring(result) end
  if failure then
    local hasErrorCode = failure:find('^%u+ ')
    local fault = {err = (hasErrorCode and '' or 'ERR ') .. failure .. ' script: ${name}'}
    -- A replica rejects every write, so no call has written anything.
    local isReplica, isOnlyCall = failure:find('READONLY', 1, true), #ARGV == ${first - 1 + stride}
    if isReplica or isOnlyCall then return fault end
    results[#results + 1] = fault
  else
    -- The number of values, then the values: Redis takes several times as long to reply with a list within a list.
    local countAt = #results + 1
    results[countAt] = 0
    for position, value in ipairs(result) do results[countAt + position] = value end
    results[countAt] = #results - countAt
  end
end
return results
`;
}
