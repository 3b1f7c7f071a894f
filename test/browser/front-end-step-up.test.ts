import { generateSync } from 'otplib';
import type { Browser, Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { tokensOf } from '../support/apps/app-client.ts';
import { GRACE_TOTP_SECRET } from '../support/clients/users.ts';
import { STARTERS } from '../support/every-cell.ts';
import {
  confirmOn,
  enterCode,
  logInOn,
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

describe.skipIf(!hasChromium).each(STARTERS)('the step-up login of the front end of %s', (name) => {
  it('ends the session that a step-up login replaces, even if the list of sessions has not loaded', async () => {
    await onFrontEnd(browser, name, async ({ page, context, client }) => {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      // Until it is released, the page does not know which session is its own.
      const hold = (route: Route) => released.then(() => route.continue());
      await context.route('**/users/self/sessions?*', hold, { times: 1 });
      await logInOn(page, 'ada');
      await press(page, 'Show my tokens');
      await sees(page, 'This needs your password again.');
      release();
      await confirmOn(page);
      await page.getByLabel('Name of a new token').waitFor();
      const { accessToken } = tokensOf(await client.login('ada@example.com'));
      const { body } = await client.send('GET', '/users/self/sessions', { bearer: accessToken });
      // The step-up login of the page and the login of this test. The session before the step-up has ended.
      expect(body['data']).toHaveLength(2);
    });
  });

  it('continues with a step-up login that was sent before Cancel was pressed', async () => {
    await onFrontEnd(browser, name, async ({ page, context, client }) => {
      await logInOn(page, 'ada');
      await sees(page, 'This device');
      await press(page, 'Show my tokens');
      await sees(page, 'This needs your password again.');
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await context.route('**/token', (route) => released.then(() => route.continue()), {
        times: 1,
      });
      await confirmOn(page);
      await press(page, 'Cancel');
      release();
      await page.getByLabel('Name of a new token').waitFor();
      const { accessToken } = tokensOf(await client.login('ada@example.com'));
      const { body } = await client.send('GET', '/users/self/sessions', { bearer: accessToken });
      // The step-up login of the page and the login of this test. The session before the step-up has ended.
      expect(body['data']).toHaveLength(2);
    });
  });

  it('drops what a user began if another user logs in when the page asks for the password again', async () => {
    await onFrontEnd(browser, name, async ({ page }) => {
      await logInOn(page, 'ada');
      await sees(page, 'This device');
      await page.reload();
      await press(page, 'Show my tokens');
      await sees(page, 'Confirm it is you');
      await logInOn(page, 'grace');
      await enterCode(page, generateSync({ secret: GRACE_TOTP_SECRET }));
      await expect.poll(() => page.locator('#user-id').textContent()).toBe('grace');
      await sees(page, 'This device');
      expect(await page.getByRole('button', { name: 'Show my tokens' }).isVisible()).toBe(true);
    });
  });

  it('changes the scopes of a login within those that the user is entitled to', async () => {
    await onFrontEnd(browser, name, async ({ page }) => {
      await logInOn(page, 'ada');
      const scopes = sectionOf(page, 'Scopes of this login');
      const admin = scopes.getByRole('checkbox', { name: /^admin/ });
      await admin.check();
      await press(page, 'Change the scopes');
      await confirmOn(page);
      await sees(page, 'The scopes are changed.');
      await page.reload();
      expect(await admin.isChecked()).toBe(true);
      expect(await scopes.getByRole('checkbox', { name: /^auth/ }).isChecked()).toBe(false);
      await press(page, 'Log out');

      await logInOn(page, 'alan');
      await admin.check();
      await press(page, 'Change the scopes');
      await confirmOn(page);
      await sees(page, 'You may not have these scopes.');
      await press(page, 'Cancel');
      expect(await admin.isChecked()).toBe(false);
    });
  });
});
