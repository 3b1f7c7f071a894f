import { readFileSync } from 'node:fs';

/** A file of the page in `examples/front-end`, for any framework to send. */
export interface PageFile {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Allows only the page's own files, and images in `data:` URLs: the QR code of a second factor is one. */
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

/** @throws {Error} if the page is not built */
export function pageFiles(): readonly PageFile[] {
  const html = readText('../../front-end/src/index.html');
  return [
    pageFile(
      '/',
      'text/html',
      html.replace('</main>', `${readText('../page/demo-users.html')}</main>`),
    ),
    pageFile('/style.css', 'text/css', readText('../../front-end/src/style.css')),
    pageFile('/main.js', 'text/javascript', readText('../../front-end/dist/bundle/main.js')),
    pageFile('/demo-users.js', 'text/javascript', readText('../page/demo-users.js')),
  ];
}

function readText(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

function pageFile(path: string, type: string, body: string): PageFile {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': POLICY,
    'cache-control': 'no-cache',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  };
  return { path, headers, body };
}
