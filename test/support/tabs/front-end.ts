import axe from 'axe-core';
import { generateSync } from 'otplib';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { AppClient } from '../apps/app-client.ts';
import { startApp } from '../apps/start-app.ts';
import type { StarterName } from '../apps/start-starter.ts';
import { TEST_PASSWORD } from '../clients/users.ts';
import { PATIENT_MS } from '../time/patience.ts';

/** A starter and its page in a real Chromium. */
export interface FrontEnd {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly client: AppClient;
  /** Opens the page like another device. */
  openElsewhere(): Promise<Page>;
}

export interface Viewport {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

/** Matches a token, a challenge or a password. */
const SECRET = /lh_|eyJ|password|correct/i;

/** A script for the page, like all strings of code in this file. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('Content Security Policy:', event.violatedDirective, event.blockedURI);
});`;

/**
 * Runs a test on the page of a starter. Afterwards it expects no violation of the Content Security Policy, no
 * exception, and no secret in a URL.
 */
export async function onFrontEnd(
  browser: Browser,
  name: StarterName,
  use: (frontEnd: FrontEnd) => Promise<void>,
  { width, colorScheme }: Viewport = { width: 1280, colorScheme: 'light' },
): Promise<void> {
  const { app, client } = await startApp(name);
  const faults: string[] = [];

  async function openContext(): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(PATIENT_MS);
    await context.addInitScript({ content: REPORT_VIOLATIONS });
    context.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) faults.push(message.text());
    });
    context.on('weberror', (error) => faults.push(String(error.error())));
    context.on('request', (request) => {
      if (SECRET.test(request.url())) faults.push(request.url());
    });
    return context;
  }

  async function open(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    await page.goto(app.url);
    return page;
  }

  const context = await openContext();
  const page = await open(context);
  await use({ page, context, client, openElsewhere: async () => open(await openContext()) });
  expect(faults).toEqual([]);
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

export async function sees(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).filter({ visible: true }).first().waitFor();
}

export function sectionOf(page: Page, title: string): Locator {
  return page.locator('section', { has: page.getByRole('heading', { name: title, level: 2 }) });
}

export async function logInOn(page: Page, user: string): Promise<void> {
  await page.getByLabel('E-mail').fill(`${user}@example.com`);
  await confirmOn(page);
}

/** Types the password, at a login or if the page asks for it again. */
export async function confirmOn(page: Page, password: string = TEST_PASSWORD): Promise<void> {
  await page.getByLabel('Password').fill(password);
  await press(page, 'Log in');
}

export async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel(/or a recovery code/).fill(code);
  await press(page, 'Continue');
}

/** Begins the enrolment of an authenticator app; resolves to its key. */
export async function keyOn(page: Page): Promise<string> {
  await sees(page, 'Scan this with your authenticator app');
  const box = await page.getByAltText('QR code of the key').boundingBox();
  expect(box?.height).toBeGreaterThan(100);
  const key = await page.locator('#key').textContent();
  return (key ?? '').replaceAll(' ', '');
}

/** Confirms the key; resolves to the recovery codes. */
export async function confirmKeyOn(page: Page, secret: string): Promise<readonly string[]> {
  await page.getByLabel('Six digits that the app shows').fill(generateSync({ secret }));
  await press(page, 'Turn it on');
  await sees(page, 'Keep these recovery codes.');
  return page.locator('#recovery-codes code').allInnerTexts();
}

/** Makes a token with the scope `user`; resolves to it. */
export async function makeTokenOn(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name of a new token').fill(name);
  await press(page, 'Create the token');
  const tokenField = page.getByLabel('Copy your new token');
  await tokenField.waitFor();
  return tokenField.inputValue();
}

/** The findings of axe, and whether the page is wider than the window. */
export async function findingsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run().then(({ violations }) => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const isWide = scrollWidth > clientWidth;
    const findings = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)].join(' '));
    return isWide ? [...findings, scrollWidth + ' px wide'] : findings;
  })`);
}
