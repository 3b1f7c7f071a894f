import { beforeEach, describe, expect, it } from 'vitest';
import { type DeliveryScene, ref, setUp } from './delivery-scene.test.support.ts';

const other = { ...ref, webhookId: 'wh_2' };

describe('what the memory storage keeps of deliveries that are delivered', () => {
  let app: DeliveryScene;

  beforeEach(async () => {
    app = await setUp({ rateLimit: 1000 }, 2);
  });

  async function deliver(...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await app.publish(id);
      await app.attempt(id, { kind: 'delivered' });
    }
  }

  async function listed(webhook = ref): Promise<readonly string[]> {
    const page = await app.deliveries.list(webhook, { limit: 100, after: null });
    return (page ?? []).map(({ deliveryId, state }) => `${deliveryId} ${state}`);
  }

  it('is the newest, as many as it may keep', async () => {
    await deliver('msg_1', 'msg_2', 'msg_3');
    expect(await listed()).toEqual(['msg_3 delivered', 'msg_2 delivered']);
    const first = { ...ref, deliveryId: 'msg_1' };
    expect(await app.deliveries.find(first)).toBeNull();
    expect(await app.deliveries.resend(first)).toEqual({ outcome: 'unknown' });
    // Two messages, and their account.
    expect(app.states.size).toBe(3);
  });

  it('is counted over all webhooks', async () => {
    await app.create(other);
    await deliver('msg_1', 'msg_2');
    await app.attempt('msg_1', { kind: 'delivered' }, other);
    expect(await listed()).toEqual(['msg_2 delivered']);
    expect(await listed(other)).toEqual(['msg_2 queued', 'msg_1 delivered']);
  });

  it('leaves alone what is pending, held or dead, however old', async () => {
    await app.publish('dead');
    await app.attempt('dead', { kind: 'dead', reason: 'exhausted' });
    await app.publish('waiting');
    await app.attempt('waiting', { kind: 'retry', delayMs: 5000 });
    await app.publish('queued');
    await app.publish('sending');
    await app.start('sending');
    await deliver('msg_1', 'msg_2', 'msg_3', 'msg_4');
    expect((await listed()).slice(2)).toEqual([
      'sending sending',
      'queued queued',
      'waiting waiting',
      'dead dead',
    ]);
    expect(await app.deliveries.recover(ref, { sinceMs: 0, limit: 10 })).toMatchObject({
      count: 1,
    });
  });

  it('does not include one that is sent again, until it is delivered again', async () => {
    await deliver('msg_1', 'msg_2');
    const first = { ...ref, deliveryId: 'msg_1' };
    await app.deliveries.resend(first);
    await deliver('msg_3', 'msg_4');
    expect(await listed()).toEqual(['msg_4 delivered', 'msg_3 delivered', 'msg_1 waiting']);
    app.runs.set('msg_1', 2);
    await app.attempt('msg_1', { kind: 'delivered' });
    expect(await listed()).toEqual(['msg_4 delivered', 'msg_1 delivered']);
    expect(await app.deliveries.find(first)).toMatchObject({ attempts: [{}, {}] });
  });

  it('has the message for as long as one of its deliveries is left', async () => {
    await app.create(other);
    await deliver('msg_1', 'msg_2', 'msg_3');
    expect(await listed(other)).toEqual(['msg_3 queued', 'msg_2 queued', 'msg_1 queued']);
    expect(app.states.message(1, 'msg_1')?.body).toBe('{}');
    expect(await app.publish('msg_1')).toMatchObject({ outcome: 'duplicate', deliveries: 2 });
    const finished = { ...other, deliveryId: 'msg_1' };
    expect(await app.deliveries.find(finished)).toMatchObject({ state: 'queued' });
  });

  it('knows the key of one that is forgotten, and no longer its id', async () => {
    await app.publish('msg_1', { idempotencyKey: 'key' });
    await app.attempt('msg_1', { kind: 'delivered' });
    await deliver('msg_2', 'msg_3');
    const again = { outcome: 'duplicate', messageId: 'msg_1', deliveries: 1, scheduled: [] };
    expect(await app.publish('msg_4', { idempotencyKey: 'key' })).toEqual(again);
    expect(await app.publish('msg_1')).toMatchObject({ outcome: 'published' });
  });

  it('has nothing behind a message that is forgotten, which may be garbage for long', async () => {
    await deliver('msg_1');
    const message = app.states.message(1, 'msg_1');
    await deliver('msg_2', 'msg_3');
    await listed();
    expect(message).toMatchObject({ body: '', first: undefined });
  });

  it('still expires', async () => {
    await deliver('msg_1', 'msg_2', 'msg_3');
    app.advance(60_000);
    expect(await listed()).toEqual([]);
    await deliver('msg_4');
    expect(await listed()).toEqual(['msg_4 delivered']);
  });

  it('can be nothing', async () => {
    app = await setUp({}, 0);
    await deliver('msg_1');
    expect(await listed()).toEqual([]);
    expect(app.states.due.size).toBe(0);
  });
});
