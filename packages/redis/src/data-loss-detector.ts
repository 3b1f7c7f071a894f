import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { RedisClient } from './redis-client.ts';

/** A year: far longer than the time between two checks. */
const MARK_SECONDS = 31_536_000;

/** The interval of checks without a cause, ms. */
const CHECK_EVERY_MS = 60_000;

/**
 * Returns the mark in Redis, after storing the given one if there is none, and whether the caller has to warn: it knows
 * another mark, and no process has warned yet. The suffix `:told` of the mark records that one has.
 */
const KEEP_MARK = `
local found = redis.call('GET', KEYS[1]) or ARGV[1]
local wasWarned = string.sub(found, -5) == ':told'
local mark = wasWarned and string.sub(found, 1, -6) or found
local isFirst = not wasWarned and ARGV[3] ~= '' and ARGV[3] ~= mark
redis.call('SET', KEYS[1], (wasWarned or isFirst) and mark .. ':told' or mark, 'EX', ARGV[2])
return { mark, isFirst and 1 or 0 }
`;

/**
 * Warns when Redis has lost its data: sessions, locks, second factors, webhooks and queued deliveries. Otherwise nobody
 * notices: the rejections that follow look like any others, and so do logins that no longer need a second factor.
 *
 * It stores a random mark, and checks it when Redis no longer knows a script, as after a restart, and once a minute
 * while it is in use, since `FLUSHALL` keeps the scripts. The first process that notices warns. In a Cluster the mark
 * is on one node, and detects the loss of that node only.
 */
export class DataLossDetector {
  readonly #redis: RedisClient;
  readonly #key: string;
  #mark = '';
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #pending: Promise<void> | null = null;
  /**
   * Runs in the async context in which the detector was created, as a check is not part of the request that triggers
   * it.
   */
  readonly #checkDetached = AsyncResource.bind(() => this.#check());

  constructor(redis: RedisClient, keyPrefix: string) {
    this.#redis = redis;
    this.#key = `${keyPrefix}:mark`;
  }

  /** Checks, unless the last check was less than a minute ago. Does nothing before the first {@link check}. */
  checkOccasionally(): void {
    if (this.#mark === '' || performance.now() - this.#checkedAtMs < CHECK_EVERY_MS) return;
    void this.check();
  }

  /**
   * Checks the mark, or joins the pending check, as after a restart each script is unknown once. Never rejects, as the
   * storage's own calls report failures of Redis.
   */
  check(): Promise<void> {
    this.#pending ??= this.#checkDetached().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  async #check(): Promise<void> {
    this.#checkedAtMs = performance.now();
    const offered = [randomUUID(), MARK_SECONDS, this.#mark];
    const answer = await this.#redis.eval(KEEP_MARK, 1, this.#key, ...offered).catch(() => null);
    if (!Array.isArray(answer)) return;
    const [mark, isFirst]: readonly unknown[] = answer;
    this.#mark = String(mark);
    if (Number(isFirst) !== 1) return;
    process.emitWarning(
      'Redis has come back without what it held: sessions, locks, second factors, webhooks and deliveries that waited ' +
        'are lost, as far as they were kept there. Were there second factors, keep users out until they are restored.',
      { type: 'LatchhookWarning', code: 'LATCHHOOK_REDIS_EMPTY' },
    );
  }
}
