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
  it('rejects one endpoint for every account once more than 32 KiB are charged to it', () => {
    const { charge, rejection } = fixture();
    charge('a.test:443', 1, 32 * KIB);
    expect(rejection('a.test:443', 1)).toBeNull();
    charge('a.test:443', 1, 1);
    expect(rejection('a.test:443', 1)).toBe('tls_failed');
    expect(rejection('a.test:443', 2)).toBe('tls_failed');
    expect(rejection('a.test:8443', 1)).toBeNull();
  });

  it('rejects one account at every endpoint once more than 512 KiB are charged to it', () => {
    const { charge, rejection } = fixture();
    for (let i = 0; i < 32; i += 1) charge(`${i}.test:443`, 1, 16 * KIB);
    expect(rejection('new.test:443', 1)).toBeNull();
    charge('32.test:443', 1, 1);
    expect(rejection('new.test:443', 1)).toBe('tls_failed');
    expect(rejection('new.test:443', 2)).toBeNull();
  });

  it('refills 32 KiB of an endpoint in a minute, and rejects it for nine minutes at most', () => {
    const { charge, rejection, advance } = fixture();
    charge('a.test:443', 1, 64 * KIB);
    advance(MINUTE_MS - 1);
    expect(rejection('a.test:443', 1)).toBe('tls_failed');
    advance(2);
    expect(rejection('a.test:443', 1)).toBeNull();
    // Charges are capped at ten budgets; an endpoint with one is not rejected.
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

  it('rejects the open connections of an endpoint over its budget, except the charged connection', () => {
    const { budget } = fixture();
    const open = (endpoint: string, accountId: number) => {
      const reject = vi.fn();
      return { reject, charges: budget.open({ endpoint, accountId }, reject) };
    };
    const charged = open('a.test:443', 1);
    const sameEndpoint = open('a.test:443', 2);
    const closedConnection = open('a.test:443', 2);
    const otherEndpoint = open('b.test:443', 1);
    closedConnection.charges.close();
    charged.charges.add(33 * KIB, 'tls_failed');
    const rejections = [charged, sameEndpoint, closedConnection, otherEndpoint].map(
      ({ reject }) => reject.mock.calls.length,
    );
    expect(rejections).toEqual([0, 1, 0, 0]);
  });

  it('keeps the charges of the thousand endpoints that were charged last', () => {
    const { charge, rejection } = fixture();
    const rejected = () => [0, 1, 2].filter((i) => rejection(`${i}.test:443`, 5_000) !== null);
    for (let i = 0; i < 1_000; i += 1) charge(`${i}.test:443`, i, 64 * KIB);
    charge('1.test:443', 1, 1);
    expect(rejected()).toEqual([0, 1, 2]);
    charge('1000.test:443', 1_000, 64 * KIB);
    charge('1001.test:443', 1_001, 64 * KIB);
    expect(rejected()).toEqual([1]);
  });
});
