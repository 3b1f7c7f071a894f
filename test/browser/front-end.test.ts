import { generateSync } from 'otplib';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { GRACE_TOTP_SECRET, TEST_PASSWORD } from '../support/clients/users.ts';
import { STARTERS } from '../support/every-cell.ts';
import {
  confirmKeyOn,
  confirmOn,
  enterCode,
  type FrontEnd,
  findingsOn,
  keyOn,
  logInOn,
  makeTokenOn,
  onFrontEnd,
  press,
  sectionOf,
  sees,
} from '../support/tabs/front-end.ts';
import { hasChromium, launchChromium } from '../support/tabs/open-chromium.ts';

let browser: Browser;

beforeAll(async () => {
  if (!hasChromium) return;
  browser = await launchChromium();
  return () => browser.close();
});

/** A code that is wrong for Grace for several minutes. */
function wrongCode(): string {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const right = Array.from({ length: 12 }, (_, steps) =>
    generateSync({ secret: GRACE_TOTP_SECRET, epoch: nowSeconds + 30 * (steps - 2) }),
  );
  let code = 0;
  while (right.includes(String(code).padStart(6, '0'))) code += 1;
  return String(code).padStart(6, '0');
}

describe.skipIf(!hasChromium).each(STARTERS)('the front end of %s', (name) => {
  it('logs in and out by keyboard only, with a visible focus', async () => {
    await onFrontEnd(browser, name, async ({ page }) => {
      await page.getByLabel('E-mail').waitFor();
      const focused = () =>
        page.evaluate(
          '[document.activeElement.id, getComputedStyle(document.activeElement).outlineStyle]',
        );
      expect(await focused()).toEqual(['username', 'solid']);
      await page.keyboard.type('alan@example.com');
      await page.keyboard.press('Tab');
      await page.keyboard.type(TEST_PASSWORD);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await sees(page, 'Your account');
      await page.keyboard.press('Shift+Tab');
      expect(await focused()).toEqual(['log-out', 'solid']);
      await page.keyboard.press('Enter');
      await sees(page, 'You are logged out.');
    });
  });

  it('offers to log out again if the server was unreachable', async () => {
    await onFrontEnd(browser, name, async ({ page, context }) => {
      await logInOn(page, 'alan');
      await sees(page, 'This device');
      await context.setOffline(true);
      await press(page, 'Log out');
      await sees(page, 'Your session goes on: the server was not reached.');
      await context.setOffline(false);
      await press(page, 'Log out again');
      await sees(page, 'You are logged out.');
      expect(await context.cookies()).toEqual([]);
      await page.reload();
      await page.getByLabel('E-mail').waitFor();
    });
  });

  it('offers to log out again only until the next login', async () => {
    await onFrontEnd(browser, name, async ({ page, context }) => {
      await logInOn(page, 'alan');
      await sees(page, 'This device');
      await context.setOffline(true);
      await press(page, 'Log out');
      await page.getByRole('button', { name: 'Log out again' }).waitFor();
      await context.setOffline(false);
      await logInOn(page, 'alan');
      await sees(page, 'This device');
      await press(page, 'Show my tokens');
      await sees(page, 'This needs your password again.');
      expect(await page.getByRole('button', { name: 'Log out again' }).isVisible()).toBe(false);
    });
  });

  it('waits for a server that is down when the page opens, and says so', async () => {
    await onFrontEnd(browser, name, async ({ page, context }) => {
      const email = page.getByLabel('E-mail');
      await email.waitFor();
      await context.route('**/token', (route) => route.abort());
      await page.clock.install();
      await page.reload();
      await sees(page, 'Waiting for the server.');
      await context.unroute('**/token');
      const isAsked = async (): Promise<boolean> => {
        await page.clock.runFor(10_000);
        return email.isVisible();
      };
      await expect.poll(isAsked).toBe(true);
      expect(await page.getByText('Waiting for the server.').isVisible()).toBe(false);
    });
  });

  it('enrols a second factor, after which a login asks for a code and accepts a recovery code once', async () => {
    await onFrontEnd(browser, name, async ({ page }) => {
      await logInOn(page, 'ada');
      await press(page, 'Set up an authenticator app');
      await confirmOn(page);
      const codes = await confirmKeyOn(page, await keyOn(page));
      expect(codes).toHaveLength(10);
      const [code = ''] = codes;
      await press(page, 'I have kept them');
      await press(page, 'Log out');
      await logInOn(page, 'ada');
      await enterCode(page, code);
      await sees(page, 'You have a second factor.');
      await press(page, 'Remove it');
      await confirmOn(page);
      await enterCode(page, code);
      await sees(page, 'The code is wrong. Attempts left: 4.');
    });
  });

  it('logs in with a TOTP code after a wrong code', async () => {
    await onFrontEnd(browser, name, async ({ page }) => {
      await logInOn(page, 'grace');
      await enterCode(page, wrongCode());
      await sees(page, 'The code is wrong. Attempts left: 4.');
      await enterCode(page, generateSync({ secret: GRACE_TOTP_SECRET }));
      await sees(page, 'Your account');
    });
  });

  it('shows when a challenge is used up and for how long the factor is locked', async () => {
    await onFrontEnd(browser, name, async ({ page }) => {
      for (const _challenge of [1, 2]) {
        await logInOn(page, 'grace');
        for (const remaining of [4, 3, 2, 1]) {
          await enterCode(page, wrongCode());
          await sees(page, `Attempts left: ${remaining}.`);
        }
        await enterCode(page, wrongCode());
        await sees(page, 'Too many codes were wrong');
      }
      await logInOn(page, 'grace');
      await enterCode(page, wrongCode());
      await sees(page, 'your second factor is locked. Try again in 15 minutes.');
    });
  });

  it('shows that a password is wrong, and when to retry after too many failures', async () => {
    await onFrontEnd(browser, name, async ({ page }) => {
      await page.getByLabel('E-mail').fill('alan@example.com');
      for (let time = 0; time < 10; time += 1) {
        await confirmOn(page, 'wrong');
        await sees(page, 'The username or the password is wrong.');
      }
      await confirmOn(page);
      await sees(page, /Too many failed logins\. Try again in \d+ seconds\./);
    });
  });

  it('shows that the server is unreachable, and continues once it is reachable', async () => {
    await onFrontEnd(browser, name, async ({ page, context }) => {
      await logInOn(page, 'alan');
      await sees(page, 'This device');
      await context.setOffline(true);
      await press(page, 'Show my tokens');
      await sees(page, 'The server cannot be reached.');
      await context.setOffline(false);
      await press(page, 'Show my tokens');
      await sees(page, 'This needs your password again.');
    });
  });

  it('lists sessions, ends one, and ends all other sessions', async () => {
    await onFrontEnd(browser, name, async ({ page, openElsewhere, client }) => {
      const elsewhere = await openElsewhere();
      await logInOn(elsewhere, 'alan');
      await sees(elsewhere, 'This device');
      await logInOn(page, 'alan');
      const sessions = sectionOf(page, 'Sessions and devices');
      await sessions.getByRole('button', { name: /^End:/ }).click();
      await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1);
      await press(elsewhere, 'Show my tokens');
      await sees(elsewhere, 'Your session has ended. Log in again.');

      await client.login('alan@example.com');
      await client.login('alan@example.com');
      await page.reload();
      await expect.poll(() => sessions.getByRole('listitem').count()).toBe(3);
      await press(page, 'End all others');
      await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1);
    });
  });

  it('shows that the session has ended in every tab after one tab logs out', async () => {
    await onFrontEnd(browser, name, async ({ page, context }) => {
      await logInOn(page, 'alan');
      await sees(page, 'This device');
      const other = await context.newPage();
      await other.goto(page.url());
      await press(other, 'Log out');
      await sees(page, 'Your session has ended. Log in again.');
    });
  });

  it('creates a personal access token that works until it is revoked', async () => {
    await onFrontEnd(browser, name, async ({ page, client }) => {
      await logInOn(page, 'ada');
      await press(page, 'Show my tokens');
      await confirmOn(page);
      const token = await makeTokenOn(page, 'nightly export');
      // Otherwise Firefox keeps the token in its profile, and shows it again after a reload.
      expect(await page.locator('#made-token').getAttribute('autocomplete')).toBe('off');
      expect((await client.me(token)).body).toMatchObject({ user: 'ada' });
      await press(page, 'Revoke: nightly export');
      await expect.poll(async () => (await client.me(token)).status).toBe(401);
      await sees(page, 'The token is revoked.');
    });
  });
});

describe.skipIf(!hasChromium).each([
  ['light colours at 360 px', { width: 360, colorScheme: 'light' }],
  ['dark colours at 360 px', { width: 360, colorScheme: 'dark' }],
  ['light colours at 1280 px', { width: 1280, colorScheme: 'light' }],
  ['dark colours at 1280 px', { width: 1280, colorScheme: 'dark' }],
] as const)('the front end in %s', (_, viewport) => {
  it('has no axe finding in any state and needs no horizontal scrolling', async () => {
    const use = async ({ page }: FrontEnd) => {
      const check = async (state: string) => expect(await findingsOn(page), state).toEqual([]);
      await page.getByRole('button', { name: 'Ada' }).click();
      await check('login');
      await confirmOn(page, 'wrong');
      await sees(page, 'The username or the password is wrong.');
      await check('wrong password');
      await confirmOn(page);
      await sees(page, 'This device');
      await check('account');
      await press(page, 'Set up an authenticator app');
      await sees(page, 'This needs your password again.');
      await check('confirmation');
      await confirmOn(page);
      const key = await keyOn(page);
      await check('enrolment');
      await confirmKeyOn(page, key);
      await check('recovery codes');
      await press(page, 'I have kept them');
      await press(page, 'Show my tokens');
      await makeTokenOn(page, 'nightly export');
      await check('new token');
      await press(page, 'Log out');
      await logInOn(page, 'ada');
      await sees(page, 'or a recovery code');
      await check('challenge');
    };
    await onFrontEnd(browser, 'express-starter', use, viewport);
  });
});
