import { describe, expect, it } from 'vitest';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { changeUndoably, undoChange } from './undoable-change.ts';

const ref = { accountId: 1, webhookId: 'wh_a' };
const BEFORE = { url: 'https://example.com/', rateLimit: 5, rateLimitPeriod: 'second' } as const;
const THIEFS = { url: 'https://thief.example/' };
const OWNERS = { url: 'https://owner.example/' };
const ENDED = new Error('the session has ended');

const good = async () => {};

/** A webhook, and a look at a credential that ends after so many looks; each does something meanwhile. */
async function scene() {
  const { webhooks } = memoryStorage();
  const webhook = { ...ref, ...BEFORE, event: 'Contact.Added', sealedSecret: 'sealed' };
  await webhooks.create(webhook, { maxPerAccount: 1 });
  return {
    webhooks,
    find: () => webhooks.find(ref),
    goodFor(looks: number, meanwhile: () => Promise<unknown> = good) {
      let left = looks;
      return async () => {
        left -= 1;
        if (left < 0) throw ENDED;
        await meanwhile();
      };
    },
  };
}

describe('a change that can be undone', () => {
  it('is made after a look at the credential, and not if that has ended', async () => {
    const { webhooks, find, goodFor } = await scene();
    await expect(changeUndoably(webhooks, ref, THIEFS, goodFor(0))).rejects.toBe(ENDED);
    expect(await find()).toMatchObject(BEFORE);
    const change = await changeUndoably(webhooks, ref, THIEFS, goodFor(1));
    expect(change).toMatchObject({ before: BEFORE, after: { ...BEFORE, ...THIEFS } });
    expect(await find()).toEqual(change?.after);
  });

  it('finds no webhook that is not there, or is removed meanwhile', async () => {
    const { webhooks, goodFor } = await scene();
    const stranger = { ...ref, accountId: 2 };
    expect(await changeUndoably(webhooks, stranger, THIEFS, good)).toBeNull();
    const removed = goodFor(1, () => webhooks.remove(ref));
    expect(await changeUndoably(webhooks, ref, THIEFS, removed)).toBeNull();
  });

  it('never takes for what was there before what has come after the last good look', async () => {
    const { webhooks, find, goodFor } = await scene();
    const late = goodFor(1, () => webhooks.change(ref, OWNERS));
    await expect(changeUndoably(webhooks, ref, THIEFS, late)).rejects.toBe(ENDED);
    expect(await find()).toMatchObject({ ...BEFORE, ...OWNERS });
  });

  it('looks again, and starts from what somebody else has made of it', async () => {
    const { webhooks, find, goodFor } = await scene();
    let url = 0;
    const busy = goodFor(3, async () => {
      url += 1;
      if (url < 3) await webhooks.change(ref, { url: `https://example.com/${url}` });
    });
    const change = await changeUndoably(webhooks, ref, THIEFS, busy);
    expect(change).toMatchObject({ before: { url: 'https://example.com/2' }, after: THIEFS });
    expect(await find()).toMatchObject(THIEFS);
  });

  it('minds no change of another field', async () => {
    const { webhooks, find, goodFor } = await scene();
    const meanwhile = goodFor(1, () => webhooks.change(ref, { rateLimit: 8 }));
    await changeUndoably(webhooks, ref, THIEFS, meanwhile);
    expect(await find()).toMatchObject({ ...THIEFS, rateLimit: 8 });
  });
});

describe('undoing a change', () => {
  const whole = { ...THIEFS, rateLimit: 9, rateLimitPeriod: 'minute' } as const;

  async function changed(change: object = whole) {
    const at = await scene();
    const done = await changeUndoably(at.webhooks, ref, change, good);
    if (done === null) throw new Error('there is no webhook');
    return { ...at, done };
  }

  it('puts back all that it has changed', async () => {
    const { webhooks, find, done } = await changed();
    expect(await undoChange(webhooks, done)).toEqual(['url', 'rateLimit', 'rateLimitPeriod']);
    expect(await find()).toMatchObject(BEFORE);
  });

  it('leaves each field that was changed since', async () => {
    const { webhooks, find, done } = await changed();
    await webhooks.change(ref, { ...OWNERS, rateLimit: 8 });
    expect(await undoChange(webhooks, done)).toEqual(['rateLimitPeriod']);
    expect(await find()).toMatchObject({ ...BEFORE, ...OWNERS, rateLimit: 8 });
  });

  it('leaves what it has not changed', async () => {
    const { webhooks, find, done } = await changed({ ...THIEFS, rateLimit: BEFORE.rateLimit });
    await webhooks.change(ref, { rateLimitPeriod: 'minute' });
    expect(await undoChange(webhooks, done)).toEqual(['url']);
    expect(await find()).toMatchObject({ ...BEFORE, rateLimitPeriod: 'minute' });
  });

  it('does nothing to a webhook that was removed', async () => {
    const { webhooks, done } = await changed();
    await webhooks.remove(ref);
    expect(await undoChange(webhooks, done)).toEqual([]);
  });

  it.each([
    [0, 1],
    [1, 0],
  ])('of two changes in either order leaves neither', async (first, second) => {
    const { webhooks, find, goodFor } = await scene();
    const urls = ['https://thief.example/1', 'https://thief.example/2'];
    const changes = urls.map((url) => changeUndoably(webhooks, ref, { url }, goodFor(1)));
    const settled = await Promise.allSettled(changes);
    for (const nth of [first, second]) {
      const change = settled[nth];
      if (change?.status !== 'fulfilled') expect(change?.reason).toBe(ENDED);
      else if (change.value !== null) await undoChange(webhooks, change.value);
    }
    expect(await find()).toMatchObject(BEFORE);
  });
});
