import { describe, expect, it } from 'vitest';
import { bcryptScheme } from './bcrypt-scheme.ts';

const TAIL = 'abcdefghijklmnopqrstuum174eFeoTj0DHmtuueFaS3Wde4P7wHG';

/** A `compare` of the host's package that records its calls. */
function recordingCompare(result: boolean) {
  const calls: [string, string][] = [];
  const compare = async (password: string, hash: string) => {
    calls.push([password, hash]);
    return result;
  };
  return { calls, compare };
}

describe('bcrypt', () => {
  it.each([true, false])("returns the result of the host's `compare`: %s", async (result) => {
    const { calls, compare } = recordingCompare(result);
    const outcome = await bcryptScheme({ compare }).verify(`$2b$10$${TAIL}`, 'pässword');
    expect(outcome).toBe(result ? 'exact_match' : 'mismatch');
    expect(calls).toEqual([['pässword', `$2b$10$${TAIL}`]]);
  });

  it.each(['$2a$', '$2b$', '$2y$'])(
    'reports an exact match of a %s hash only for a password of at most 71 bytes without NUL',
    async (prefix) => {
      const scheme = bcryptScheme({ compare: recordingCompare(true).compare });
      const results = [];
      for (const password of [
        'x'.repeat(71),
        'x'.repeat(72),
        'é'.repeat(36),
        'x\0',
        'x\0y',
        '\0',
      ]) {
        results.push(await scheme.verify(`${prefix}10$${TAIL}`, password));
      }
      expect(results).toEqual(['exact_match', 'match', 'match', 'match', 'match', 'match']);
    },
  );

  it('passes a $2y$ hash of PHP to `compare` as $2b$', async () => {
    const { calls, compare } = recordingCompare(true);
    await bcryptScheme({ compare }).verify(`$2y$10$${TAIL}`, 'x');
    expect(calls).toEqual([['x', `$2b$10$${TAIL}`]]);
  });

  it.each([
    ['a cost of 15', `$2b$15$${TAIL}`],
    ['a cost of 31', `$2b$31$${TAIL}`],
    ['a character too few', `$2b$10$${TAIL.slice(1)}`],
    ['a character too many', `$2b$10$${TAIL}a`],
    ['a cost of one digit', `$2b$4$${TAIL}a`],
  ])('rejects a hash with %s without computing it', async (_, hash) => {
    const { calls, compare } = recordingCompare(true);
    expect(await bcryptScheme({ compare }).verify(hash, 'x')).toBe('unusable');
    expect(calls).toEqual([]);
  });

  it('computes any cost up to maxCost', async () => {
    const { compare } = recordingCompare(true);
    const scheme = bcryptScheme({ compare, maxCost: 15 });
    expect(await scheme.verify(`$2b$15$${TAIL}`, 'x')).toBe('exact_match');
  });

  it.each([
    ['passwords_invalid', undefined],
    ['passwords_invalid', null],
    ['passwords_invalid', 'x'],
    ['passwords_invalid', {}],
    ['passwords_invalid', { compare: undefined }],
    ['passwords_invalid', { compare: { compare: async () => true } }],
    ['option_out_of_bounds', { compare: async () => true, maxCost: Number.NaN }],
    ['option_out_of_bounds', { compare: async () => true, maxCost: '14' }],
    ['option_out_of_bounds', { compare: async () => true, maxCost: 32 }],
  ])('throws %s at creation for the options %j', (code, options) => {
    expect(() => Reflect.apply(bcryptScheme, undefined, [options])).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it('recognises only $2a$, $2b$ and $2y$', () => {
    const scheme = bcryptScheme({ compare: recordingCompare(true).compare });
    expect(['$2a$', '$2b$', '$2y$'].map(scheme.recognises)).toEqual([true, true, true]);
    expect(['$2x$', '$2$', '$argon2id$', ''].map(scheme.recognises)).toEqual(Array(4).fill(false));
  });

  it('rejects a misspelt option, for which the default would apply', () => {
    const misspelt = { compare: recordingCompare(true).compare, maxcost: 12 };
    expect(() => bcryptScheme(misspelt)).toThrow('bcryptScheme knows no "maxcost"');
  });
});
