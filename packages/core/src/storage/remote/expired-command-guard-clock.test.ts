import { describe, expect, it } from 'vitest';
import { ServerClock } from './expired-command-guard.ts';

describe('ServerClock', () => {
  it('returns undefined before the first observation', () => {
    expect(new ServerClock().at(1000)).toBeUndefined();
  });

  it('advances from the observed time by the local clock', () => {
    const clock = new ServerClock();
    clock.observe(50_000, 100);
    expect(clock.at(350)).toBe(50_250);
  });

  it('follows the node that is furthest ahead, not the last one observed', () => {
    const clock = new ServerClock();
    clock.observe(50_000, 100);
    clock.observe(57_000, 110);
    clock.observe(50_020, 120);
    expect(clock.at(120)).toBe(57_010);
  });

  it('follows a server clock that was set back, after two minutes', () => {
    const clock = new ServerClock();
    clock.observe(3_600_000, 0);
    clock.observe(61_000, 61_000);
    expect(clock.at(61_000)).toBe(3_661_000);
    clock.observe(122_000, 122_000);
    expect(clock.at(122_000)).toBe(122_000);
  });

  it('drops an observation after one to two minutes if others follow', () => {
    const clock = new ServerClock();
    clock.observe(10_000, 0);
    clock.observe(61_005, 61_000);
    clock.observe(121_006, 121_000);
    expect(clock.at(121_000)).toBe(131_000);
    clock.observe(122_002, 122_000);
    expect(clock.at(122_000)).toBe(122_006);
  });

  it('is not changed by a burst of delayed observations', () => {
    const clock = new ServerClock();
    clock.observe(10_000, 0);
    for (let i = 0; i < 500; i += 1) clock.observe(70_000, 90_000);
    expect(clock.at(90_000)).toBe(100_000);
  });

  it('keeps its observation for a day if there is no other', () => {
    const clock = new ServerClock();
    clock.observe(50_000, 0);
    expect(clock.at(86_400_000)).toBe(86_450_000);
  });
});
