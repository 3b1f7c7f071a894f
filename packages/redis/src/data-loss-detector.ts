import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { RedisClient } from './redis-client.ts';

/** Longer than any process goes without a look. */
const MARK_SECONDS = 31_536_000;

/** How often to look without a reason to, ms. */
const LOOK_EVERY_MS = 60_000;

/**
 * Answers Redis' mark, after storing the given one if there is none, and whether the caller is to warn: it knows
 * another mark, and is the first to notice. A suffix of the mark says that a process has warned already.
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
 * Warns where Redis has come back without what it held: sessions, locks, second factors, webhooks and what was to be
 * sent. Otherwise nobody notices: the rejections that follow look like any others, and so do logins that need no
 * factor.
 *
 * It stores a random mark, and looks for it again when Redis no longer knows a script, as after a restart, and once a
 * minute while it is used, since `FLUSHALL` leaves the scripts. The first process that notices warns. In a Cluster the
 * mark is on one node, and shows the loss of that one only.
 */
export class DataLossDetector {
  readonly #redis: RedisClient;
  readonly #key: string;
  #mark = '';
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #pending: Promise<void> | null = null;
  /** In the async context of the one who made the watch: a look is no part of the request at which it falls due. */
  readonly #checkApart = AsyncResource.bind(() => this.#check());

  constructor(redis: RedisClient, keyPrefix: string) {
    this.#redis = redis;
    this.#key = `${keyPrefix}:mark`;
  }

  /** Looks, unless it has in the last minute. Does nothing before the first look. */
  lookNowAndThen(): void {
    if (this.#mark === '' || performance.now() - this.#lookedAtMs < LOOK_EVERY_MS) return;
    void this.check();
  }

  /**
   * Looks, or joins a look that is pending: a restart has every script be unknown once. Never rejects: that Redis does
   * not answer is reported elsewhere.
   */
  check(): Promise<void> {
    this.#pending ??= this.#checkApart().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  async #check(): Promise<void> {
    this.#lookedAtMs = performance.now();
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
