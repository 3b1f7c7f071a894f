import { expect, it } from 'vitest';
import { targetReader } from './target.ts';

it('at most a thousand parsed URLs are cached', () => {
  const readTarget = targetReader({
    allowHttp: false,
    allowPrivateAddresses: false,
    allowedPorts: [443],
  });
  const url = (nth: number) => `https://receiver-${nth}.example/`;
  const cached = readTarget(url(0));
  for (let nth = 1; nth < 1_000; nth += 1) readTarget(url(nth));
  expect(readTarget(url(0))).toBe(cached);
  readTarget(url(1_000));
  const parsedAgain = readTarget(url(0));
  expect(parsedAgain).not.toBe(cached);
  expect(parsedAgain).toEqual(cached);
});
