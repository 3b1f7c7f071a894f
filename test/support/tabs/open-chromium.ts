import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
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

const PAGE = `<!doctype html>
<title>A page</title>
<script type="module">
  import { createClient, webStorage } from '/client.js';
  globalThis.client = createClient({ baseUrl: location.origin, storage: webStorage() });
</script>`;

/** Whether the test run has a browser. */
export const hasChromium: boolean = inject('chromium') !== null;

/**
 * Opens a real Chromium for the length of the test, and in it tabs of a page at `url`, whose global `client` is made
 * of the sources, with `webStorage`. All else goes to the server there.
 */
export async function openChromium(
  url: string,
  tabs: number,
): Promise<{ readonly context: BrowserContext; readonly pages: Page[]; open(): Promise<Page> }> {
  const binary = inject('chromium');
  if (binary === null) throw new Error('there is no Chromium');
  const browser = await chromium.launch({
    executablePath: binary.path,
    args: ARGS,
    env: environmentOf(binary) as Record<string, string>,
  });
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  const module = await bundledClient();
  await context.route(`${url}/page`, (route) =>
    route.fulfill({ contentType: 'text/html', body: PAGE }),
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
