import { describe, expect, it } from 'vitest';
import { runDelivery } from './run-delivery.ts';
import { answered, type Script, scheduled, scriptedParts } from './scripted-parts.test.support.ts';

async function stepOf(script: Script) {
  const parts = scriptedParts(script);
  return { step: await runDelivery(parts, scheduled('msg_1')), parts };
}

describe('the run of a delivery that cannot be sent from here', () => {
  it('counts no attempt that failed by our own doing', async () => {
    const { step } = await stepOf({
      openSecrets: () => {
        throw new Error('no key opens it');
      },
    });
    expect(step).toMatchObject({ next: 'again', failure: null });
  });

  it('tells of what it is here that nothing can be sent for, and of nothing else', async () => {
    const failed = { ...answered(200), status: null, error: 'sender_failed' } as const;
    const error = new Error('connect ECONNREFUSED');
    const { parts } = await stepOf({ send: () => ({ ...failed, fault: error }) });
    expect(parts.events).toEqual([{ type: 'fault', where: 'delivery', error }]);
    expect(parts.finishes[0]?.result).not.toHaveProperty('fault');
    for (const result of [failed, answered(500)]) {
      expect((await stepOf({ send: () => result })).parts.events).toEqual([]);
    }
  });

  it('writes down and tells of a sender that breaks its word', async () => {
    const { parts } = await stepOf({ send: () => Promise.reject(new Error('a mistake')) });
    expect(parts.finishes[0]?.verdict.kind).toBe('excused');
    expect(parts.events).toMatchObject([{ type: 'fault', where: 'delivery' }]);
  });
});
