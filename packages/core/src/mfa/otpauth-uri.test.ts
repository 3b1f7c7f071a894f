import { describe, expect, it } from 'vitest';
import { otpauthUri } from './otpauth-uri.ts';

const factor = { totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', issuerName: 'Example Inc' };

function labelIn(uri: string): string {
  return decodeURIComponent(new URL(uri).pathname.replace(/^\/(totp\/)?/, ''));
}

describe('an otpauth URI', () => {
  it('has the format of Google, with the issuer twice and without default parameters', async () => {
    const user = { id: 'u-7', username: 'ada@example.com' };
    expect(await otpauthUri(user, factor)).toBe(
      'otpauth://totp/Example%20Inc:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example%20Inc',
    );
  });

  it.each([undefined, null, ''])('contains the id if the username is %j', async (username) => {
    const user = { id: 'u-7', ...(username === undefined ? {} : { username }) };
    expect(labelIn(await otpauthUri(user, factor))).toBe('Example Inc:u-7');
  });

  it('has one colon in its label, after the issuer', async () => {
    const uri = await otpauthUri({ id: 'auth:7:x' }, { ...factor, issuerName: '[::1]' });
    expect(labelIn(uri).split(':')).toEqual(['[  1]', 'auth 7 x']);
  });

  it('escapes special characters in names', async () => {
    expect(labelIn(await otpauthUri({ id: 'a&?#%/ü' }, factor))).toBe('Example Inc:a&?#%/ü');
  });

  it('cuts long names to 100 characters, and replaces half of a surrogate pair', async () => {
    const id = `${'x'.repeat(99)}\u{1F512}&?#%`;
    const label = labelIn(await otpauthUri({ id }, factor));
    expect(label).toBe(`Example Inc:${'x'.repeat(99)}\ufffd`);
  });
});
