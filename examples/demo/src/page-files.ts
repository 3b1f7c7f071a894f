import { readFileSync } from 'node:fs';

/** A file of the page in `examples/front-end`, for any framework to send. */
export interface PageFile {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Nothing but what the page is made of; the QR code of a second factor is an image in a `data:` URL. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** @throws {Error} where the page is not built */
export function pageFiles(): readonly PageFile[] {
  const html = read('../../front-end/src/index.html');
  return [
    file('/', 'text/html', html.replace('</main>', `${read('../page/demo-users.html')}</main>`)),
    file('/style.css', 'text/css', read('../../front-end/src/style.css')),
    file('/main.js', 'text/javascript', read('../../front-end/dist/bundle/main.js')),
    file('/demo-users.js', 'text/javascript', read('../page/demo-users.js')),
  ];
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

function file(path: string, type: string, body: string): PageFile {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': POLICY,
    'cache-control': 'no-cache',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  };
  return { path, headers, body };
}
