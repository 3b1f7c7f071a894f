import { describe, expect, it } from 'vitest';
import {
  claimAllDue,
  type Fixture,
  failAllDue,
  fixture,
  publish,
  register,
  requestingUser,
} from './webhook-fixture.test.support.ts';

/** Publishes an event, to which the receiver responds with 410. */
async function disable(at: Fixture): Promise<void> {
  await publish(at);
  await failAllDue(at, 'gone');
}

describe('a disabled webhook', () => {
  it('receives all of its 1,100 waiting deliveries once it is enabled', async () => {
    const at = fixture();
    const { ref } = await register(at, { rateLimit: 10_000 });
    await disable(at);
    expect(await publish(at, 1_100)).toContainEqual({ id: expect.any(String), deliveries: 1 });
    expect(await claimAllDue(at)).toEqual([]);
    const webhook = await at.registry.enable(ref, requestingUser);
    expect(webhook).toMatchObject({ disabledAtMs: null, disabledReason: null });
    expect(await claimAllDue(at)).toHaveLength(1_100);
    expect(at.emitted.at(-1)).toEqual({ type: 'webhook.enabled', ...ref, ...requestingUser });
  });

  it('uses the rate limit that was set while it was disabled', async () => {
    const at = fixture();
    const { ref } = await register(at, { rateLimit: 2, rateLimitPeriod: 'minute' });
    await disable(at);
    await publish(at, 350);
    await at.registry.change(ref, { rateLimit: 300, rateLimitPeriod: 'second' }, requestingUser);
    await at.registry.enable(ref, requestingUser);
    // A minute after the attempt that got the 410, it no longer counts towards the rate.
    at.clock.now += 60_000;
    expect(await claimAllDue(at)).toHaveLength(300);
  });

  it('emits webhook.enabled once if it is enabled twice', async () => {
    const at = fixture();
    const { ref, webhook } = await register(at);
    at.emitted.splice(0);
    // It is not disabled yet.
    expect(await at.registry.enable(ref, requestingUser)).toEqual(webhook);
    expect(at.emitted).toEqual([]);
    await disable(at);
    for (let i = 0; i < 2; i += 1) await at.registry.enable(ref, requestingUser);
    expect(at.emitted.filter(({ type }) => type === 'webhook.enabled')).toHaveLength(1);
  });
});
