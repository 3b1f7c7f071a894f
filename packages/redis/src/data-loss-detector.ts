import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { RedisClient } from './redis-client.ts';

/** How long the mark is stored, s: a year, far longer than the time between two checks. */
const MARK_SECONDS = 31_536_000;

/** The interval of the checks while Redis is in use, ms. */
const CHECK_EVERY_MS = 60_000;

/**
 * Returns the mark in Redis, and whether the caller has to warn. ARGV: the mark to store if there is none, its time to
 * live, and the mark that the caller knows (empty: none). The caller has to warn if it knows another mark, and no
 * process has warned yet. The suffix `:warned` of the stored mark records that a process has warned.
 */
const CHECK_MARK = `
local storedMark = redis.call('GET', KEYS[1]) or ARGV[1]
local warnedMark = string.match(storedMark, '^(.*):warned$')
local mark = warnedMark or storedMark
local mustWarn = not warnedMark and ARGV[3] ~= '' and ARGV[3] ~= mark
redis.call('SET', KEYS[1], (warnedMark or mustWarn) and mark .. ':warned' or mark, 'EX', ARGV[2])
return { mark, mustWarn and 1 or 0 }
`;

/**
 * Warns when Redis has lost its data: sessions, locks, second factors, webhooks and queued deliveries. Otherwise nobody
 * would notice: refreshes that are rejected, and logins without a second factor, look like any others.
 *
 * It stores a random mark in Redis. It checks the mark when Redis no longer knows a script, as after a restart, and
 * once a minute while Redis is in use, since `FLUSHALL` keeps the scripts. The first process that notices the loss
 * warns. In a Cluster one node has the mark, so only the loss of that node is detected.
 */
export class DataLossDetector {
  readonly #redis: RedisClient;
  readonly #key: string;
  #mark = '';
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #pending: Promise<void> | null = null;
  /**
   * Runs in the async context in which the detector was created because a check is not part of the request that
   * triggers it.
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
   * Checks the mark, or returns the pending check: after a restart, several calls find their scripts unknown. Never
   * rejects because the storage's own calls report failures of Redis.
   */
  check(): Promise<void> {
    this.#pending ??= this.#checkDetached().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  async #check(): Promise<void> {
    this.#checkedAtMs = performance.now();
    const args = [randomUUID(), MARK_SECONDS, this.#mark];
    const reply = await this.#redis.eval(CHECK_MARK, 1, this.#key, ...args).catch(() => null);
    if (!Array.isArray(reply)) return;
    const [mark, mustWarn]: readonly unknown[] = reply;
    this.#mark = String(mark);
    if (Number(mustWarn) !== 1) return;
    process.emitWarning(
      'Redis has lost its data: sessions, locks, second factors, webhooks and queued deliveries, as far as Latchhook ' +
        'stored them there. If there were second factors, keep users out until you have restored them.',
      { type: 'LatchhookWarning', code: 'LATCHHOOK_REDIS_EMPTY' },
    );
  }
}
