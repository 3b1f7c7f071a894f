import type { NamesOf } from '../../assert-names.ts';
import type { WebhookChange, WebhookSettings } from '../../storage/webhook-store.ts';

/**
 * The only list of a webhook's settings, in their order in events. After a setting is added to the contract of the
 * store, the compiler reports a missing name here.
 */
const NAMES: NamesOf<WebhookSettings> = {
  url: true,
  rateLimit: true,
  rateLimitPeriod: true,
};

export const SETTING_NAMES = Object.keys(NAMES) as readonly (keyof WebhookSettings)[];

/** Settings, where `undefined` counts as absent. */
export type GivenSettings = {
  readonly [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined;
};

/** The change for the given settings. */
export function webhookChange(given: GivenSettings): WebhookChange {
  const entries = changedSettings(given).map((name) => [name, given[name]]);
  return Object.fromEntries(entries) as WebhookChange;
}

/** The names of the settings in a change. */
export function changedSettings(change: GivenSettings): readonly (keyof WebhookSettings)[] {
  return SETTING_NAMES.filter((name) => change[name] !== undefined);
}
