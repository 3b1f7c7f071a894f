import { describe, expect, it, vi } from 'vitest';
import { ReceiverBudget } from './receiver-budget.ts';
import { stopPerformanceClock } from './receivers.test.support.ts';

const KIB = 1_024;
const MINUTE_MS = 60_000;

function fixture() {
  const advance = stopPerformanceClock();
  const budget = new ReceiverBudget();
  const charge = (endpoint: string, accountId: number, bytes: number): void => {
    const charges = budget.open({ endpoint, accountId }, () => {});
    charges.add(bytes, 'tls_failed');
    charges.close();
  };
  const rejection = (endpoint: string, accountId: number) =>
    budget.rejection({ endpoint, accountId })?.sendError ?? null;
  return { budget, charge, rejection, advance };
}

describe('the budget of receivers', () => {
  it('rejects an endpoint that owes more than 32 KiB for all accounts, and no other endpoint', () => {
    const { charge, rejection } = fixture();
    charge('a.test:443', 1, 32 * KIB);
    expect(rejection('a.test:443', 1)).toBeNull();
    charge('a.test:443', 1, 1);
    expect(rejection('a.test:443', 1)).toBe('tls_failed');
    expect(rejection('a.test:443', 2)).toBe('tls_failed');
    expect(rejection('a.test:8443', 1)).toBeNull();
  });

  it('rejects an account that owes more than 512 KiB for all endpoints, and no other account', () => {
    const { charge, rejection } = fixture();
    for (let i = 0; i < 32; i += 1) charge(`${i}.test:443`, 1, 16 * KIB);
    expect(rejection('new.test:443', 1)).toBeNull();
    charge('32.test:443', 1, 1);
    expect(rejection('new.test:443', 1)).toBe('tls_failed');
    expect(rejection('new.test:443', 2)).toBeNull();
  });

  it('pays off 32 KiB of an endpoint in a minute, and any debt in ten minutes', () => {
    const { charge, rejection, advance } = fixture();
    charge('a.test:443', 1, 64 * KIB);
    advance(MINUTE_MS - 1);
    expect(rejection('a.test:443', 1)).toBe('tls_failed');
    advance(2);
    expect(rejection('a.test:443', 1)).toBeNull();
    charge('b.test:443', 2, 1e9);
    advance(9 * MINUTE_MS - 1);
    expect(rejection('b.test:443', 2)).toBe('tls_failed');
    advance(2);
    expect(rejection('b.test:443', 2)).toBeNull();
  });

  it('rejects with the reason of the last charge', () => {
    const { budget, rejection } = fixture();
    const charges = budget.open({ endpoint: 'a.test:443', accountId: 1 }, () => {});
    charges.add(64 * KIB, 'tls_failed');
    charges.add(1, 'invalid_answer');
    expect(rejection('a.test:443', 1)).toBe('invalid_answer');
  });

  it('closes the open connections of an endpoint that owes too much, except the charged one', () => {
    const { budget } = fixture();
    const open = (endpoint: string, accountId: number) => {
      const reject = vi.fn();
      return { reject, charges: budget.open({ endpoint, accountId }, reject) };
    };
    const charged = open('a.test:443', 1);
    const same = open('a.test:443', 2);
    const closed = open('a.test:443', 2);
    const other = open('b.test:443', 1);
    closed.charges.close();
    charged.charges.add(33 * KIB, 'tls_failed');
    const rejections = [charged, same, closed, other].map(({ reject }) => reject.mock.calls.length);
    expect(rejections).toEqual([0, 1, 0, 0]);
  });

  it('drops the debts that were charged longest ago beyond a thousand', () => {
    const { charge, rejection } = fixture();
    const coolingDown = () => [0, 1, 2].filter((i) => rejection(`${i}.test:443`, 5_000) !== null);
    for (let i = 0; i < 1_000; i += 1) charge(`${i}.test:443`, i, 64 * KIB);
    charge('1.test:443', 1, 1);
    expect(coolingDown()).toEqual([0, 1, 2]);
    charge('1000.test:443', 1_000, 64 * KIB);
    charge('1001.test:443', 1_001, 64 * KIB);
    expect(coolingDown()).toEqual([1]);
  });
});
