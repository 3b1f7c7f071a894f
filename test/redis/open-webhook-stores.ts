import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, uniquePrefix } from './connect.ts';
import { withWebhooks } from './webhook-samples.ts';

/** Opens stores on the Redis of the run, under a prefix of their own. */
export async function openWebhookStores() {
  const redis = connect();
  const keyPrefix = uniquePrefix();
  const clock = turnableClock();
  const stores = withWebhooks(redisStorage(redis, { keyPrefix, clock, deadlineMs: PATIENT_MS }));
  return { ...stores, redis, keyPrefix, clock };
}
