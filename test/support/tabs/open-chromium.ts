import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { inject, onTestFinished } from 'vitest';
import { environmentOf } from '../servers/fetch-debian-program.ts';

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const CLIENTS = {
  bearer: `createClient({ baseUrl: location.origin, storage: webStorage() })`,
  cookie: `createClient({ baseUrl: location.origin, mode: 'cookie' })`,
};

const pageWith = (client: string): string => `<!doctype html>
<title>A page</title>
<script type="module">
  import { createClient, webStorage } from '/client.js';
  globalThis.client = ${client};
</script>`;

/** A script that removes Web Locks from a page. */
export const WITHOUT_LOCKS = `Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })`;

/** Whether the test run has a browser. */
export const hasChromium: boolean = inject('chromium') !== null;

/** Starts a real Chromium. */
export async function launchChromium(): Promise<Browser> {
  const binary = inject('chromium');
  if (binary === null) throw new Error('there is no Chromium');
  return chromium.launch({
    executablePath: binary.path,
    args: ARGS,
    env: environmentOf(binary) as Record<string, string>,
  });
}

/**
 * Opens a real Chromium until the end of the test, with tabs of a page at `url`. The page has a global `client`, built
 * from the sources, with `webStorage` or in cookie mode. All other requests go to the server at `url`.
 *
 * @param script - runs in each tab before the scripts of the page
 */
export async function openChromium(
  url: string,
  tabs: number,
  mode: keyof typeof CLIENTS = 'bearer',
  script: string = '',
): Promise<{ readonly context: BrowserContext; readonly pages: Page[]; open(): Promise<Page> }> {
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  await context.addInitScript({ content: script });
  const module = await bundledClient();
  await context.route(`${url}/page`, (route) =>
    route.fulfill({ contentType: 'text/html', body: pageWith(CLIENTS[mode]) }),
  );
  await context.route(`${url}/client.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: module }),
  );
  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${url}/page`);
    await page.waitForFunction('globalThis.client');
    return page;
  };
  const pages: Page[] = [];
  while (pages.length < tabs) pages.push(await open());
  return { context, pages, open };
}

async function bundledClient(): Promise<string> {
  const source = new URL('../../../packages/client/src/index.ts', import.meta.url);
  const bundle = await rolldown({ input: fileURLToPath(source) });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return output[0].code;
}
