import { describe, expect, it } from 'vitest';
import { readCookies } from './read-cookies.ts';

const A = '__Host-latchhook-access';
const R = '__Host-latchhook-refresh';

describe('the cookies of a request', () => {
  it.each([
    [undefined, undefined, undefined],
    ['', undefined, undefined],
    ['x=1; y=2', undefined, undefined],
    [`${A}=1`, '1', undefined],
    [`x=1;${A}=1; ${R}=a=b==`, '1', 'a=b=='],
    [`${A}; ${A}b`, undefined, undefined],
    [`x${A}=1; ${A.toLowerCase()}=2; ${A}b=3; __Host-=4; latchhook-access=5`, undefined, undefined],
    [`x=${A}=1`, undefined, undefined],
    [`;; ${A};x; ${A}=1;;${R}=;`, '1', ''],
    [` \t${A} = 1\t`, '1', undefined],
    [`\u00a0${A}=1; ${R}\u00a0=2; \u000b${A}=3`, undefined, undefined],
    [`\u00a0${A}=1; ${A}=2`, '2', undefined],
    [[`${A}=1`, `${R}=2`], '1', '2'],
  ])('are read by their exact names from %j', (cookie, access, refresh) => {
    expect(readCookies({ cookie })).toEqual({ outcome: 'read', access, refresh });
  });

  it.each([`${A}=1; ${A}=1`, `${R}=1; x=2; ${R}=3`, `${A}=; ${A}=1`])(
    'are ambiguous in %j',
    (cookie) => {
      expect(readCookies({ cookie })).toEqual({ outcome: 'ambiguous' });
    },
  );
});
