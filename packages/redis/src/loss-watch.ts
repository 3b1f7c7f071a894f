import { randomUUID } from 'node:crypto';
import type { RedisClient } from './redis-client.ts';

/** Longer than any process goes without a look. */
const MARK_SECONDS = 31_536_000;

/** Answers the mark that Redis holds; if there is none, stores the one that is given. */
const KEEP_MARK = `
local mark = redis.call('GET', KEYS[1])
if not mark then
  mark = ARGV[1]
  redis.call('SET', KEYS[1], mark)
end
redis.call('EXPIRE', KEYS[1], ARGV[2])
return mark
`;

/**
 * Warns where Redis has come back without what it held: sessions, locks, second factors, webhooks and what was to be
 * sent. Otherwise nobody notices: the refusals that follow look like any others, and so do logins that need no factor now.
 *
 * It stores a random mark, and looks for it again when Redis no longer knows a script, as after a restart. Mostly one
 * process warns, as others find the script known again. In a Redis Cluster the mark is on one node, and tells of that alone.
 */
export class LossWatch {
  readonly #redis: RedisClient;
  readonly #key: string;
  #mark: unknown = null;

  constructor(redis: RedisClient, keyPrefix: string) {
    this.#redis = redis;
    this.#key = `${keyPrefix}:mark`;
  }

  /** Never rejects: that Redis does not answer is reported elsewhere. */
  async look(): Promise<void> {
    const asked = this.#redis.eval(KEEP_MARK, 1, this.#key, randomUUID(), MARK_SECONDS);
    const found = await asked.catch(() => this.#mark);
    // Compared only now, so that of several looks under way only the first warns.
    const isLost = this.#mark !== null && this.#mark !== found;
    this.#mark = found;
    if (!isLost) return;
    process.emitWarning(
      'Redis has come back without what it held: sessions, locks, second factors, webhooks and deliveries that waited ' +
        'are lost, as far as they were kept there. Were there second factors, keep users out until they are restored.',
      { type: 'LatchhookWarning', code: 'LATCHHOOK_REDIS_EMPTY' },
    );
  }
}
