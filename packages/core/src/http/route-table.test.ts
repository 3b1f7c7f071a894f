import { describe, expect, it } from 'vitest';
import { workMs } from '../work-ms.test.support.ts';
import { createRouteTable } from './route-table.ts';

const routes = [
  { method: 'GET', path: '/things' },
  { method: 'POST', path: '/things' },
  { method: 'GET', path: '/things/{id}' },
  { method: 'DELETE', path: '/things/{id}' },
  { method: 'DELETE', path: '/things/all' },
  { method: 'POST', path: '/things/{id}/parts/{part}/mend' },
] as const;
const table = createRouteTable(routes);

describe('a path with parameters', () => {
  it('matches its route, with the value of each parameter', () => {
    expect(table.find({ method: 'GET', path: '/things/t_1' })).toEqual({
      outcome: 'found',
      route: routes[2],
      params: { id: 't_1' },
    });
    expect(table.find({ method: 'POST', path: '/things/t_1/parts/p-2/mend' })).toEqual({
      outcome: 'found',
      route: routes[5],
      params: { id: 't_1', part: 'p-2' },
    });
  });

  it.each(['/things/t%5F1', '/things/..', '/things/..%2f', '/things/{id}', '/things/__proto__'])(
    'yields any value of a parameter without decoding: %s',
    (path) => {
      expect(table.find({ method: 'GET', path })).toMatchObject({
        params: { id: path.slice('/things/'.length) },
      });
    },
  );

  it.each([
    '/things/',
    '/things//',
    '/things/t_1/',
    '/things/t_1/parts',
    '/things/t_1/parts//mend',
    '/things/t_1/parts/p/mend/',
    '/things/t_1/PARTS/p/mend',
    '/Things/t_1',
    '//things/t_1',
    'things/t_1',
    '/other/t_1',
    '/__proto__/t_1',
  ])('does not match %s', (path) => {
    expect(table.owns(path)).toBe(false);
    expect(table.find({ method: 'GET', path })).toEqual({ outcome: 'not_ours' });
  });

  it('is owned for all methods', () => {
    expect(table.owns('/things/t_1')).toBe(true);
  });

  it('yields the allowed methods if the method is wrong', () => {
    expect(table.find({ method: 'PUT', path: '/things/t_1' })).toEqual({
      outcome: 'wrong_method',
      allow: ['GET', 'HEAD', 'DELETE'],
    });
  });

  it('has lower precedence than a path without parameters', () => {
    expect(table.find({ method: 'DELETE', path: '/things/all' })).toEqual({
      outcome: 'found',
      route: routes[4],
      params: {},
    });
    expect(table.find({ method: 'GET', path: '/things/all' })).toEqual({
      outcome: 'wrong_method',
      allow: ['DELETE'],
    });
  });

  it('is mapped to its declared template by routeOf', () => {
    expect(table.routeOf('/things/t_1')).toBe('/things/{id}');
    expect(table.routeOf('/things/all')).toBe('/things/all');
    expect(table.routeOf('/elsewhere')).toBeUndefined();
  });

  it('is matched in less than 50 ms even with 50,000 segments', () => {
    const long = `/things/${'x/'.repeat(50_000)}`;
    const tookMs = workMs(() => {
      expect(table.owns(long)).toBe(false);
    });
    expect(tookMs).toBeLessThan(50);
  });
});
