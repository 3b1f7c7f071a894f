import { expect, it } from 'vitest';
import { targetReader } from './target.ts';

it('parsed URLs are cached, a thousand at most', () => {
  const read = targetReader({
    allowHttp: false,
    allowPrivateAddresses: false,
    allowedPorts: [443],
  });
  const url = (nth: number) => `https://receiver-${nth}.example/`;
  const first = read(url(0));
  for (let nth = 1; nth < 1_000; nth += 1) read(url(nth));
  expect(read(url(0))).toBe(first);
  read(url(1_000));
  const again = read(url(0));
  expect(again).not.toBe(first);
  expect(again).toEqual(first);
});
