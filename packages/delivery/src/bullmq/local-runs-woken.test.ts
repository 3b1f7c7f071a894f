import { describe, expect, it } from 'vitest';
import { hangs, heldReceiver, scheduled } from '../runs/scripted-deps.test.support.ts';
import { ofOwnWebhook, runsOf, settled } from './local-runs.test.support.ts';

describe('runs of this process that were woken', () => {
  it('takes none of which a second run was woken, until both have ended', async () => {
    const { send, ends } = heldReceiver();
    const { runs, deps } = runsOf(2, { send });
    const starts = () => deps.calls.filter((call) => call === 'start msg_1').length;
    runs.take(scheduled('msg_1'));
    expect(runs.wake(scheduled('msg_1'))).toBe(true);
    await settled();
    ends[0]?.();
    await settled();
    expect(runs.take(scheduled('msg_1'))).toBe(true);
    await settled();
    expect(starts()).toBe(2);
    ends[1]?.();
    await settled();
    runs.take(scheduled('msg_1'));
    await settled();
    expect(starts()).toBe(3);
    ends[2]?.();
    await runs.close();
  });

  it('begins what follows an attempt though all slots are in use, and twice as many at most', () => {
    const { runs, deps } = runsOf(1, { send: hangs });
    expect(runs.take(scheduled('msg_1'))).toBe(true);
    expect(runs.wake(scheduled('msg_2'))).toBe(true);
    expect(runs.wake(scheduled('msg_3'))).toBe(false);
    // It is here, and a sweep brings it in vain.
    expect(runs.take(scheduled('msg_2'))).toBe(true);
    expect(runs.take(scheduled('msg_3'))).toBe(true);
    expect(deps.calls.filter((call) => call.startsWith('start'))).toHaveLength(2);
  });

  it('begins once what is woken again and again while it waits for a slot of its account', async () => {
    const { send, ends } = heldReceiver();
    const { runs, deps } = runsOf(50, { send, slots: 30 });
    for (let nth = 0; nth < 11; nth += 1) runs.take(ofOwnWebhook(`a${nth}`));
    for (const _ of ['woken', 'woken again']) expect(runs.wake(ofOwnWebhook('a10'))).toBe(true);
    await settled();
    for (const end of ends.slice(0, 2)) end();
    await settled();
    expect(deps.calls.filter((call) => call === 'start a10')).toHaveLength(1);
    void runs.close();
  });

  it('counts what is woken among those of its webhook, in line or not', async () => {
    const { send, ends } = heldReceiver();
    const { runs, deps } = runsOf(50, { send });
    for (let nth = 0; nth < 12; nth += 1) runs.take(scheduled(`a${nth}`));
    for (const id of ['a11', 'woken']) runs.wake(scheduled(id));
    await settled();
    for (const end of ends.slice(0, 2)) end();
    await settled();
    expect(deps.calls).not.toContain('start a10');
    ends[2]?.();
    await settled();
    expect(deps.calls).toContain('start a10');
    void runs.close();
  });

  it('begins once what waits for room and follows an attempt', async () => {
    const { send, ends } = heldReceiver();
    const { runs, deps } = runsOf(1, { send });
    for (const id of ['msg_1', 'msg_2', 'msg_3']) runs.take(scheduled(id));
    expect(runs.wake(scheduled('msg_2'))).toBe(true);
    await settled();
    expect(ends).toHaveLength(2);
    for (const end of ends) end();
    await settled();
    expect(deps.calls).toContain('start msg_3');
    void runs.close();
    expect(deps.calls.filter((call) => call === 'start msg_2')).toHaveLength(1);
  });

  it('begins nothing that follows an attempt once it is closed', async () => {
    const { runs, deps } = runsOf(1);
    await runs.close();
    expect(runs.wake(scheduled('msg_1'))).toBe(false);
    expect(deps.calls).toEqual([]);
  });
});
