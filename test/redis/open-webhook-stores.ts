import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { withWebhooks } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

/** Opens stores on the Redis of the test run, under a unique prefix. */
export async function openWebhookStores() {
  const redis = connect();
  const keyPrefix = uniquePrefix();
  const clock = turnableClock();
  const stores = withWebhooks(redisStorage(redis, { keyPrefix, clock, deadlineMs: PATIENT_MS }));
  return { ...stores, redis, keyPrefix, clock };
}
