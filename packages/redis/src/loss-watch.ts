import { randomUUID } from 'node:crypto';
import type { RedisClient } from './redis-client.ts';

/** Longer than any process goes on without a look. */
const MARK_SECONDS = 31_536_000;

/** Answers the mark that lies there, or the one that is offered, which lies there from then on. */
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
 * sent. Each refusal that follows looks like any other, and so does each login that is asked for no factor.
 *
 * It leaves a mark, at random, and looks for it again where Redis knows a script no longer, as after a restart. So one process
 * is the first to notice, and tells. Of a Redis Cluster, the mark tells of one node.
 */
export class LossWatch {
  readonly #redis: RedisClient;
  readonly #key: string;
  #mark: unknown = null;

  constructor(redis: RedisClient, keyPrefix: string) {
    this.#redis = redis;
    this.#key = `${keyPrefix}:mark`;
  }

  /** Never rejects: where Redis does not answer, others say so. */
  async look(): Promise<void> {
    const asked = this.#redis.eval(KEEP_MARK, 1, this.#key, randomUUID(), MARK_SECONDS);
    const found = await asked.catch(() => this.#mark);
    // What is remembered is read only now: of several looks that were under way, the first tells.
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
