import type { ScheduledDelivery } from '@latchhook/core';
import { describe, expect, it } from 'vitest';
import { ExpressLane } from './express-lane.ts';
import {
  answered,
  type Script,
  type ScriptedParts,
  scheduled,
  scriptedParts,
} from './scripted-parts.test.support.ts';

interface LaneScene {
  readonly parts: ScriptedParts;
  readonly lane: ExpressLane;
  readonly putBack: ScheduledDelivery[];
}

function laneOf(width: number, script: Script = {}): LaneScene {
  const parts = scriptedParts(script);
  const putBack: ScheduledDelivery[] = [];
  const lane = new ExpressLane(parts, width, async (delivery) => void putBack.push(delivery));
  return { parts, lane, putBack };
}

describe('the express lane', () => {
  it('sends what is due, and puts nothing back that was delivered', async () => {
    const { lane, parts, putBack } = laneOf(1);
    expect(lane.take(scheduled('msg_1'))).toBe(true);
    await lane.close();
    expect(parts.calls).toEqual(['start msg_1', 'send msg_1', 'finish msg_1']);
    expect(putBack).toEqual([]);
  });

  it('leaves to the queue what is due later, and what finds no room', async () => {
    const { lane, parts } = laneOf(1);
    expect(lane.take(scheduled('msg_1', 1))).toBe(false);
    expect(lane.take(scheduled('msg_2'))).toBe(true);
    expect(lane.take(scheduled('msg_3'))).toBe(false);
    await lane.close();
    expect(parts.calls).toEqual(['start msg_2', 'send msg_2', 'finish msg_2']);
  });

  it('has room again when an attempt has ended', async () => {
    let delivered = () => {};
    const first = new Promise<void>((resolve) => {
      delivered = resolve;
    });
    const { lane } = laneOf(1, { send: () => first.then(() => answered(200)) });
    expect(lane.take(scheduled('msg_1'))).toBe(true);
    delivered();
    await expect.poll(() => lane.take(scheduled('msg_2'))).toBe(true);
  });

  it('puts back what is to be tried again, with its delay', async () => {
    const { lane, putBack } = laneOf(1, {
      start: () => ({ outcome: 'deferred', delayMs: 1_234, by: 'rate' }),
    });
    lane.take(scheduled('msg_1'));
    await lane.close();
    expect(putBack).toEqual([scheduled('msg_1', 1_234)]);
  });

  it('tells of a queue that does not take it back, and goes on', async () => {
    const parts = scriptedParts({ send: () => answered(500) });
    const lane = new ExpressLane(parts, 1, () => Promise.reject(new Error('the queue is away')));
    lane.take(scheduled('msg_1'));
    await lane.close();
    expect(parts.events).toMatchObject([{ type: 'fault', where: 'delivery' }]);
  });

  it('takes nothing once it is closed', async () => {
    const { lane } = laneOf(1);
    await lane.close();
    expect(lane.take(scheduled('msg_1'))).toBe(false);
  });
});
