import { describe, expect, it } from 'vitest';
import {
  claimAll,
  type Fixture,
  fail,
  fixture,
  publish,
  register,
  requestingUser,
} from './webhook-fixture.test.support.ts';

/** Publishes one event to a webhook that answers 410. */
async function disable(at: Fixture): Promise<void> {
  await publish(at);
  await fail(at, 'gone');
}

describe('a disabled webhook', () => {
  it('receives all of its 1,100 waiting deliveries once it is enabled', async () => {
    const at = fixture();
    const { ref } = await register(at, { rateLimit: 10_000 });
    await disable(at);
    expect(await publish(at, 1_100)).toContainEqual({ id: expect.any(String), deliveries: 1 });
    expect(await claimAll(at)).toEqual([]);
    const webhook = await at.registry.enable(ref, requestingUser);
    expect(webhook).toMatchObject({ disabledAtMs: null, disabledReason: null });
    expect(await claimAll(at)).toHaveLength(1_100);
    expect(at.emitted.at(-1)).toEqual({ type: 'webhook.enabled', ...ref, ...requestingUser });
  });

  it('uses a rate limit that was changed while it was disabled', async () => {
    const at = fixture();
    const { ref } = await register(at, { rateLimit: 2, rateLimitPeriod: 'minute' });
    await disable(at);
    await publish(at, 350);
    await at.registry.change(ref, { rateLimit: 300, rateLimitPeriod: 'second' }, requestingUser);
    await at.registry.enable(ref, requestingUser);
    at.clock.now += 60_000;
    expect(await claimAll(at)).toHaveLength(300);
  });

  it('emits webhook.enabled once for repeated calls', async () => {
    const at = fixture();
    const { ref, webhook } = await register(at);
    at.emitted.splice(0);
    expect(await at.registry.enable(ref, requestingUser)).toEqual(webhook);
    expect(at.emitted).toEqual([]);
    await disable(at);
    for (let i = 0; i < 2; i += 1) await at.registry.enable(ref, requestingUser);
    expect(at.emitted.filter(({ type }) => type === 'webhook.enabled')).toHaveLength(1);
  });
});
