import { setTimeout as elapsed } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startStarter } from '../support/apps/start-starter.ts';
import { logInMany } from '../support/clients/log-in-many.ts';
import { seededRandom } from '../support/storage/seeded-random.ts';
import { reportFigures } from './report-figures.ts';
import { disturbNetwork } from './scenarios/disturb-network.ts';
import { findContradictions, type Operation } from './scenarios/history.ts';
import { type Family, recordHistory } from './scenarios/record-history.ts';

const CLIENTS = 20;
const FAMILIES_EACH = 10;
const SECONDS = 30;

it('a history of parallel clients, two processes and network faults has no contradiction', async () => {
  const starter = await startStarter('express-starter', { env: { LOGIN_THROTTLE: 'off' } });
  // Only the network of the first app is disturbed, so the two apps disagree on whether Redis is there.
  const second = await starter.startSecond('koa-starter');
  const half = (CLIENTS * FAMILIES_EACH) / 2;
  const logins = [
    ...(await logInMany(second, 'ada@example.com', half)),
    ...(await logInMany(second, 'alan@example.com', half)),
  ];
  const families: readonly Family[] = logins.map(({ refreshToken }, id) => ({
    id,
    firstToken: refreshToken,
  }));

  const stop = new AbortController();
  const recordings = Array.from({ length: CLIENTS }, (_, index) =>
    recordHistory(
      [starter.client, second],
      families.slice(index * FAMILIES_EACH, (index + 1) * FAMILIES_EACH),
      seededRandom(index),
      stop.signal,
    ),
  );
  const disturbance = disturbNetwork(starter.proxy, seededRandom(8), stop.signal);
  await elapsed(1000 * SECONDS);
  stop.abort();
  const history = (await Promise.all(recordings)).flat();

  const count = (kind: Operation['kind'], status: number) =>
    history.filter((operation) => operation.kind === kind && operation.status === status).length;
  reportFigures(`history of ${CLIENTS} clients and ${families.length} logins in ${SECONDS} s`, {
    faults: (await disturbance).count,
    refreshed: count('refresh', 200),
    unavailable: count('refresh', 503),
    revoked: count('revoke', 200),
    rejected: count('refresh', 400),
    contradictions: findContradictions(history).length,
  });
  expect(findContradictions(history)).toEqual([]);
  expect(count('refresh', 400)).toBeGreaterThan(0);
  expect(count('refresh', 503)).toBeGreaterThan(0);
});

describe('findContradictions()', () => {
  const operation = (difference: Partial<Operation>): Operation => ({
    family: 1,
    kind: 'refresh',
    tokenIn: 'a',
    tokenOut: 'b',
    status: 200,
    invokedAtMs: 0,
    answeredAtMs: 1,
    ...difference,
  });
  const rejected = { status: 400, tokenOut: undefined };
  const revoked = operation({
    kind: 'revoke',
    tokenOut: undefined,
    invokedAtMs: 2,
    answeredAtMs: 3,
  });

  it('finds a token with two successors and a successor of two tokens', () => {
    expect(findContradictions([operation({}), operation({ tokenOut: 'c' })])).toHaveLength(1);
    expect(findContradictions([operation({}), operation({ tokenIn: 'c' })])).toHaveLength(1);
  });

  it('finds a refresh that begins after the revocation and succeeds', () => {
    expect(findContradictions([revoked, operation({ invokedAtMs: 4 })])).toHaveLength(1);
    expect(findContradictions([revoked, operation({ invokedAtMs: 2.5 })])).toEqual([]);
  });

  it('finds a refresh that is rejected without a preceding revocation', () => {
    expect(findContradictions([operation(rejected), revoked])).toHaveLength(1);
    expect(findContradictions([revoked, operation({ ...rejected, answeredAtMs: 5 })])).toEqual([]);
  });
});
