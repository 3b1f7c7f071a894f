import { describe, expect, it } from 'vitest';
import { createCallBoundary } from '../../faults/call-boundary.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import { createHandOver } from './hand-over.ts';

const delivery = { accountId: 1, webhookId: 'wh_a', deliveryId: 'msg_1', run: 1, delayMs: 0 };

describe('handing deliveries over', () => {
  it('asks the engine once for all, and not for none', async () => {
    const taken: unknown[] = [];
    const engine = { enqueue: async (batch: unknown) => void taken.push(batch) };
    const handOver = createHandOver(
      engine,
      (call) => call(),
      () => {},
    );
    await handOver([]);
    await handOver([delivery, delivery]);
    expect(taken).toEqual([[delivery, delivery]]);
  });

  it('to an engine that cannot take them is a fault, and no rejection', async () => {
    const events: SecurityEvent[] = [];
    const error = new Error('READONLY');
    const callEngine = createCallBoundary('delivery');
    const engine = { enqueue: () => Promise.reject(error) };
    await createHandOver(engine, callEngine, (event) => void events.push(event))([delivery]);
    expect(events).toEqual([{ type: 'fault', where: 'delivery', error }]);
  });
});
