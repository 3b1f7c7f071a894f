import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { signWebhook } from './sign-webhook.ts';
import { type VerifyRequest, verifySignature } from './verify-signature.ts';

const OLD_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const NOW = 1_700_000_000_000;
const BODY = '{"name":"Zoë"}';
const SIGNED = signWebhook({ secret: SECRET, id: 'msg_1', body: BODY, timestampMs: NOW });

function verify(change: Partial<VerifyRequest> = {}) {
  return verifySignature({
    secret: SECRET,
    headers: { ...SIGNED },
    body: BODY,
    atMs: NOW,
    ...change,
  });
}

const withHeader = (name: keyof typeof SIGNED, value: string | undefined) => ({
  headers: { ...SIGNED, [name]: value },
});

/** Yields a copy of the text for each of its bytes, with one bit of that byte changed. */
function* tamperedCopies(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let index = 0; index < bytes.length; index++) {
    const copy = Buffer.from(bytes);
    copy[index] = (bytes[index] ?? 0) ^ 1;
    yield copy;
  }
}

describe('verifySignature', () => {
  it('accepts a signed request with a body of text or bytes', () => {
    expect(verify()).toEqual({ outcome: 'verified', id: 'msg_1', sentAtMs: NOW });
    expect(verify({ body: Buffer.from(BODY) }).outcome).toBe('verified');
  });

  it.each([
    ['of fetch', new Headers({ ...SIGNED })],
    [
      'in upper case',
      Object.fromEntries(
        Object.entries(SIGNED).map(([name, value]) => [name.toUpperCase(), value]),
      ),
    ],
    [
      'in lists of one',
      Object.fromEntries(Object.entries(SIGNED).map(([name, value]) => [name, [value]])),
    ],
  ])('accepts headers %s', (_, headers) => {
    expect(verify({ headers }).outcome).toBe('verified');
  });

  it.each([undefined, null, 'webhook-id: msg_1'])(
    'throws an error that names the headers if they are %o',
    (headers) => {
      const change = { headers } as unknown as Partial<VerifyRequest>;
      expect(() => verify(change)).toThrow(/^headers must be/);
    },
  );

  it('rejects a request with two headers of the same name', () => {
    const headers = { ...SIGNED, 'webhook-id': ['msg_1', 'msg_2'] };
    expect(verify({ headers })).toEqual({ outcome: 'rejected', reason: 'header_missing' });
  });

  it('rejects a body with one changed bit', () => {
    for (const body of tamperedCopies(BODY)) {
      expect(verify({ body })).toEqual({ outcome: 'rejected', reason: 'no_match' });
    }
  });

  it('rejects a header with one changed bit', () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const) {
      for (const value of tamperedCopies(SIGNED[name])) {
        const { outcome } = verify({
          ...withHeader(name, value.toString('latin1')),
          // A changed timestamp must be rejected for its signature, not for its age.
          toleranceSeconds: Number.MAX_VALUE,
        });
        expect(outcome).toBe('rejected');
      }
    }
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const)(
    'rejects a request without %s',
    (name) => {
      const rejection = { outcome: 'rejected', reason: 'header_missing' };
      expect(verify(withHeader(name, undefined))).toEqual(rejection);
      expect(verify(withHeader(name, ''))).toEqual(rejection);
    },
  );

  it.each([
    ['webhook-id', 'msg.1'],
    ['webhook-timestamp', '1700000000.0'],
    ['webhook-timestamp', '17e8'],
    ['webhook-timestamp', '-1700000000'],
    ['webhook-timestamp', ' 1700000000'],
    ['webhook-timestamp', '1700000000000000'],
    ['webhook-timestamp', 'NaN'],
  ] as const)('rejects the malformed header %s: %s', (name, value) => {
    expect(verify(withHeader(name, value))).toEqual({
      outcome: 'rejected',
      reason: 'header_malformed',
    });
  });

  it('accepts only a timestamp up to five minutes in the past or the future', () => {
    const outcomeAt = (seconds: number) => {
      const result = verify({ atMs: NOW + seconds * 1000 });
      return result.outcome === 'rejected' ? result.reason : result.outcome;
    };
    expect([-301, -300, 0, 300, 301].map(outcomeAt)).toEqual([
      'too_new',
      'verified',
      'verified',
      'verified',
      'too_old',
    ]);
  });

  it('rejects a timestamp older than toleranceSeconds', () => {
    const atMs = NOW + 10_000;
    expect(verify({ atMs, toleranceSeconds: 10 }).outcome).toBe('verified');
    expect(verify({ atMs, toleranceSeconds: 9 }).outcome).toBe('rejected');
  });

  it('rejects a request if the tolerance or the time is NaN', () => {
    const notANumber = Number(undefined);
    expect(verify({ toleranceSeconds: notANumber }).outcome).toBe('rejected');
    expect(verify({ atMs: notANumber }).outcome).toBe('rejected');
  });

  it('accepts a request if one of its signatures matches one of the secrets', () => {
    const oldHeaders = signWebhook({
      secret: OLD_SECRET,
      id: 'msg_1',
      body: BODY,
      timestampMs: NOW,
    });
    const signatures = `${oldHeaders['webhook-signature']} ${SIGNED['webhook-signature']}`;
    expect(verify(withHeader('webhook-signature', signatures)).outcome).toBe('verified');
    expect(verify({ secret: [OLD_SECRET, SECRET] }).outcome).toBe('verified');
    expect(verify({ secret: OLD_SECRET }).outcome).toBe('rejected');
  });

  it.each([
    ['of another version', (signature: string) => signature.replace('v1,', 'v1a,')],
    ['without a version', (signature: string) => signature.replace('v1,', '')],
    ['cut short', (signature: string) => signature.slice(0, -1)],
    ['that is empty', () => 'v1,'],
    ['with a trailing comma', (signature: string) => `${signature},`],
  ])('rejects a signature %s', (_, change) => {
    const signature = change(SIGNED['webhook-signature']);
    expect(verify(withHeader('webhook-signature', signature))).toEqual({
      outcome: 'rejected',
      reason: 'no_match',
    });
  });

  it('accepts a secret without its prefix, or as bytes', () => {
    expect(verify({ secret: SECRET.replace('whsec_', '') }).outcome).toBe('verified');
    expect(verify({ secret: Buffer.alloc(32, 2) }).outcome).toBe('verified');
  });

  it.each([
    ['an empty string', ''],
    ['only a prefix', 'whsec_'],
    ['not base64', 'whsec_%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%'],
    ['fewer than 24 bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['an empty array of bytes', new Uint8Array()],
    ['an empty list', []],
    ['a list with an empty string', [SECRET, '']],
  ])('throws a TypeError if the secret is %s', (_, secret) => {
    expect(() => verify({ secret })).toThrow(TypeError);
  });

  it.each([
    ['an object, as express.json() leaves it', { type: 'Contact.Added' }],
    ['undefined, as if it was never read', undefined],
    ['an ArrayBuffer', new ArrayBuffer(8)],
  ])('throws an error that asks for the raw bytes if the body is %s', (_, body) => {
    const request = { body } as unknown as Partial<VerifyRequest>;
    expect(() => verify(request)).toThrow(/^body must be what is sent and received, to the byte/);
  });

  it.each([
    ['in quotes', `"${SECRET}"`],
    ['read from a file with a line end', `${SECRET}\n`],
  ])('throws an error that says how to write the secret if it is %s', (_, secret) => {
    expect(() => verify({ secret })).toThrow(/without quotes, spaces and line ends/);
  });

  it('does not quote an invalid secret in its error', () => {
    expect(() => verify({ secret: 'hunter2' })).toThrow(/^(?!.*hunter2)/s);
  });
});

describe.each([
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
])('compatibility with %s', (_, Webhook) => {
  const library = new Webhook(SECRET);

  it('verifySignature accepts a signature by the library', () => {
    const date = new Date(NOW);
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(NOW / 1000),
      'webhook-signature': library.sign('msg_1', date, BODY),
    };
    expect(verify({ headers }).outcome).toBe('verified');
  });

  it('the library accepts a signature by signWebhook', () => {
    const headers = signWebhook({ secret: [OLD_SECRET, SECRET], id: 'msg_1', body: BODY });
    expect(library.verify(BODY, { ...headers })).toEqual({ name: 'Zoë' });
  });

  it('verifySignature and the library reject a signature by another secret', () => {
    const headers = signWebhook({ secret: OLD_SECRET, id: 'msg_1', body: BODY });
    expect(() => library.verify(BODY, { ...headers })).toThrow();
    expect(verifySignature({ secret: SECRET, headers: { ...headers }, body: BODY }).outcome).toBe(
      'rejected',
    );
  });
});
