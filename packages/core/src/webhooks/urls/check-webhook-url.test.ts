import { describe, expect, it } from 'vitest';
import { workMs } from '../../work-ms.test.support.ts';
import { checkWebhookUrl } from './check-webhook-url.ts';
import { parseWebhookUrl, type WebhookUrlRules } from './parse-webhook-url.ts';

const strict: WebhookUrlRules = {
  allowHttp: false,
  allowPrivateAddresses: false,
  allowedPorts: [443, 8443],
};
const http: WebhookUrlRules = { ...strict, allowHttp: true, allowedPorts: 'any' };
const open: WebhookUrlRules = { ...http, allowPrivateAddresses: true };

function accepted(url: string) {
  return { outcome: 'accepted', url };
}

function rejected(message: string) {
  return { outcome: 'rejected', message };
}

describe('checkWebhookUrl', () => {
  it.each([
    [
      'that is normalised',
      'https://example.com/hooks?a=1&b=%20',
      'https://example.com/hooks?a=1&b=%20',
    ],
    ['without a path', 'https://example.com', 'https://example.com/'],
    ['in capitals', 'HTTPS://EXAMPLE.COM/Hooks', 'https://example.com/Hooks'],
    ['with the default port', 'https://example.com:443/', 'https://example.com/'],
    ['with another port that is allowed', 'https://example.com:8443/', 'https://example.com:8443/'],
    ['with dots in its path', 'https://example.com/a/../b', 'https://example.com/b'],
    ['with an @ in its path', 'https://example.com/@ada', 'https://example.com/@ada'],
    ['with an @ in its query', 'https://example.com?to=a@b', 'https://example.com/?to=a@b'],
    ['with the dot of the root', 'https://example.com./', 'https://example.com/'],
    [
      'with a name of non-ASCII letters',
      'https://bücher.example/ü',
      'https://xn--bcher-kva.example/%C3%BC',
    ],
    ['with letters of full width', 'https://ｅxample.com/', 'https://example.com/'],
    ['with a public address', 'https://93.184.215.14/', 'https://93.184.215.14/'],
    ['with a public address in hexadecimal', 'https://0x5db8d70e/', 'https://93.184.215.14/'],
    [
      'with a public IPv6 address',
      'https://[2606:4700::1111]:8443/',
      'https://[2606:4700::1111]:8443/',
    ],
    [
      'with a name that begins like an address',
      'https://127.0.0.1.example.com/',
      'https://127.0.0.1.example.com/',
    ],
    [
      'with localhost in its name',
      'https://localhost.example.com/',
      'https://localhost.example.com/',
    ],
    ['with a name of one label', 'https://hooks/', 'https://hooks/'],
  ])('accepts a URL %s: %s', (_kind, text, url) => {
    expect(checkWebhookUrl(text, strict)).toEqual(accepted(url));
    expect(checkWebhookUrl(url, strict)).toEqual(accepted(url));
  });

  it('accepts a URL of up to 2083 characters', () => {
    const url = `https://example.com/${'a'.repeat(2083 - 'https://example.com/'.length)}`;
    expect(checkWebhookUrl(url, strict)).toEqual(accepted(url));
    expect(checkWebhookUrl(`${url}a`, strict).outcome).toBe('rejected');
  });

  it('accepts a URL of up to 2083 characters that is longer once it is percent-encoded', () => {
    const [host, quotes] = ['https://example.com', "'".repeat(2063)];
    const stored = `${host}/?${'%27'.repeat(2063)}`;
    expect(checkWebhookUrl(`${host}?${quotes}`, strict)).toEqual(accepted(stored));
    // A worker parses the stored URL again before it sends.
    expect(parseWebhookUrl(stored, strict)).toMatchObject({ outcome: 'accepted' });
  });

  it('accepts a URL whose percent-encoded form has up to 3 * 2083 + 1 characters', () => {
    // Each letter becomes six: `%C3%BC`.
    const url = `https://example.com/${'ü'.repeat(1_038)}`;
    expect(checkWebhookUrl(url, strict).outcome).toBe('accepted');
    expect(checkWebhookUrl(`${url}ü`, strict)).toEqual(
      rejected('is too long once it is percent-encoded'),
    );
  });

  it('accepts an http: URL only if that is allowed', () => {
    const url = 'http://example.com:8080/';
    expect(checkWebhookUrl(url, http)).toEqual(accepted(url));
    expect(checkWebhookUrl(url, strict)).toEqual(rejected('must be an https: URL'));
  });
});

describe('the port of a webhook URL', () => {
  it.each(['https://example.com:22/', 'https://example.com:80/', 'https://example.com:08080/'])(
    'is rejected if allowedPorts does not include it: %s',
    (url) => {
      expect(checkWebhookUrl(url, strict)).toEqual(rejected('must have a port that is allowed'));
      expect(checkWebhookUrl(url, { ...strict, allowedPorts: 'any' }).outcome).toBe('accepted');
    },
  );

  it('is the default port of the scheme if the URL has none', () => {
    const only80: WebhookUrlRules = { ...http, allowedPorts: [80] };
    expect(checkWebhookUrl('http://example.com/', only80).outcome).toBe('accepted');
    expect(checkWebhookUrl('https://example.com/', only80).outcome).toBe('rejected');
    expect(checkWebhookUrl('http://example.com/', { ...http, ...strict, allowHttp: true })).toEqual(
      rejected('must have a port that is allowed'),
    );
  });
});

describe('checkWebhookUrl', () => {
  it.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://127.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://0X7F.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://①②⑦.0.0.1/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0xa9fea9fe/',
    'https://2852039166/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://192.0.2.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[64:ff9b::169.254.169.254]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[2001:db8::1]/',
    'https://[fc00::1]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[5f00::1]/',
    'https://localhost/',
    'https://LOCALHOST:8443/',
    'https://localhost./',
    'https://ｌocalhost/',
    'https://ⓛocalhost/',
    'https://api.localhost/',
    'https://api.localhost./',
    'https://metadata.google.internal/',
    'https://printer.local/',
  ])('rejects a URL that leads to a private address: %s', (text) => {
    expect(checkWebhookUrl(text, strict)).toEqual(rejected('must not lead to a private address'));
    expect(checkWebhookUrl(text, open)).toMatchObject({ outcome: 'accepted' });
  });

  it.each([
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://:secret@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
    'https://example.com@93.184.215.14/',
    'https://user%40example.com@example.org/',
  ])('rejects a URL with user info: %s', (text) => {
    expect(checkWebhookUrl(text, open)).toEqual(rejected('must not contain user info'));
  });

  it.each(['https://example.com/#a', 'https://example.com#', 'https://example.com/?a#'])(
    'rejects a URL with a fragment: %s',
    (text) => {
      expect(checkWebhookUrl(text, open)).toEqual(rejected('must not contain a fragment'));
    },
  );

  it.each([
    'ftp://example.com/',
    'ws://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript://example.com/%0aalert(1)',
  ])('rejects a URL of another scheme: %s', (text) => {
    expect(checkWebhookUrl(text, open)).toMatchObject({ outcome: 'rejected' });
  });

  it.each([
    'example.com/hooks',
    '//example.com/hooks',
    '/hooks',
    'https:',
    'https://',
    'https:example.com',
    'https:/example.com',
    'https:///example.com/',
    'https:\\\\example.com\\',
    'https://example.com\\@127.0.0.1/',
    ' https://example.com/',
    'https://example.com/ ',
    'https://example.com/a b',
    'https://exam\tple.com/',
    'https://example.com/\n',
    'https://example.com/\u0000',
    'https://example.com/\ud800',
    'https://exa mple.com/',
    'https://example.com:65536/',
    'https://example.com:0/',
    'https://example.com:port/',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
    'https://[::1',
    'https://[fe80::1%25eth0]/',
    'https://[::ffff:1.2.3]/',
    'https://./',
    'https://localhost../',
    'https://example..com/',
    'https://%00/',
    'https://a<b/',
  ])('rejects a malformed URL: %j', (text) => {
    expect(checkWebhookUrl(text, open)).toEqual(rejected('must be a URL'));
  });

  it('rejects an empty URL', () => {
    expect(checkWebhookUrl('', open)).toEqual(rejected('must be a URL of 1 to 2083 characters'));
  });

  it('checks URLs of 2,000 repeated special characters in less than 50 ms', () => {
    const tookMs = workMs(() => {
      for (const part of ['@', '/', '.', '%', '[', '①']) {
        checkWebhookUrl(`https://${part.repeat(2000)}`, strict);
      }
    });
    expect(tookMs).toBeLessThan(50);
  });
});
