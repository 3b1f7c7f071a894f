import { describe, expect, it, vi } from 'vitest';
import { ReceiverBudget } from './receiver-budget.ts';
import { stopPerformanceClock } from './receivers.test.support.ts';

const KIB = 1_024;
const MINUTE_MS = 60_000;

function scene() {
  const advance = stopPerformanceClock();
  const budget = new ReceiverBudget();
  const charge = (endpoint: string, accountId: number, bytes: number): void => {
    const tab = budget.open({ endpoint, accountId }, () => {});
    tab.charge(bytes, 'tls_failed');
    tab.close();
  };
  const refusal = (endpoint: string, accountId: number) =>
    budget.refusal({ endpoint, accountId })?.sendError ?? null;
  return { budget, charge, refusal, advance };
}

describe('the budget of receivers', () => {
  it('refuses an endpoint, whoever asks, that owes more than 32 KiB, and no other one', () => {
    const { charge, refusal } = scene();
    charge('a.test:443', 1, 32 * KIB);
    expect(refusal('a.test:443', 1)).toBeNull();
    charge('a.test:443', 1, 1);
    expect(refusal('a.test:443', 1)).toBe('tls_failed');
    expect(refusal('a.test:443', 2)).toBe('tls_failed');
    expect(refusal('a.test:8443', 1)).toBeNull();
  });

  it('refuses an account, wherever it sends to, that owes more than 512 KiB, and no other one', () => {
    const { charge, refusal } = scene();
    for (let nth = 0; nth < 32; nth += 1) charge(`${nth}.test:443`, 1, 16 * KIB);
    expect(refusal('new.test:443', 1)).toBeNull();
    charge('32.test:443', 1, 1);
    expect(refusal('new.test:443', 1)).toBe('tls_failed');
    expect(refusal('new.test:443', 2)).toBeNull();
  });

  it('has as much paid off in a minute, and all in ten', () => {
    const { charge, refusal, advance } = scene();
    charge('a.test:443', 1, 64 * KIB);
    advance(MINUTE_MS - 1);
    expect(refusal('a.test:443', 1)).toBe('tls_failed');
    advance(2);
    expect(refusal('a.test:443', 1)).toBeNull();
    charge('b.test:443', 2, 1e9);
    advance(9 * MINUTE_MS - 1);
    expect(refusal('b.test:443', 2)).toBe('tls_failed');
    advance(2);
    expect(refusal('b.test:443', 2)).toBeNull();
  });

  it('says what they were charged for last', () => {
    const { budget, refusal } = scene();
    const tab = budget.open({ endpoint: 'a.test:443', accountId: 1 }, () => {});
    tab.charge(64 * KIB, 'tls_failed');
    tab.charge(1, 'invalid_answer');
    expect(refusal('a.test:443', 1)).toBe('invalid_answer');
  });

  it('refuses the connections that are open for whoever comes to owe too much, but for the charged one', () => {
    const { budget } = scene();
    const open = (endpoint: string, accountId: number) => {
      const refuse = vi.fn();
      return { refuse, tab: budget.open({ endpoint, accountId }, refuse) };
    };
    const charged = open('a.test:443', 1);
    const same = open('a.test:443', 2);
    const closed = open('a.test:443', 2);
    const other = open('b.test:443', 1);
    closed.tab.close();
    charged.tab.charge(33 * KIB, 'tls_failed');
    const refusals = [charged, same, closed, other].map(({ refuse }) => refuse.mock.calls.length);
    expect(refusals).toEqual([0, 1, 0, 0]);
  });

  it('forgets the debt that is the oldest of more than a thousand', () => {
    const { charge, refusal } = scene();
    const coolingDown = () => [0, 1, 2].filter((nth) => refusal(`${nth}.test:443`, 5_000) !== null);
    for (let nth = 0; nth < 1_000; nth += 1) charge(`${nth}.test:443`, nth, 64 * KIB);
    charge('1.test:443', 1, 1);
    expect(coolingDown()).toEqual([0, 1, 2]);
    charge('1000.test:443', 1_000, 64 * KIB);
    charge('1001.test:443', 1_001, 64 * KIB);
    expect(coolingDown()).toEqual([1]);
  });
});
