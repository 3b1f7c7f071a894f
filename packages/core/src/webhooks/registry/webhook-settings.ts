import type { NamesOf } from '../../assert-names.ts';
import type { WebhookChange, WebhookSettings } from '../../storage/webhook-store.ts';

/**
 * The one list of a webhook's settings, in the order in which events name them. From here the compiler leads to all
 * that handles a setting, once one is added to the contract of the store.
 */
const NAMES: NamesOf<WebhookSettings> = {
  url: true,
  rateLimit: true,
  rateLimitPeriod: true,
};

export const SETTING_NAMES = Object.keys(NAMES) as readonly (keyof WebhookSettings)[];

/** Settings of which some may be `undefined`, which counts as absent. */
export type GivenSettings = {
  readonly [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined;
};

/** A change of what is given. */
export function webhookChange(given: GivenSettings): WebhookChange {
  const entries = changedSettings(given).map((name) => [name, given[name]]);
  return Object.fromEntries(entries) as WebhookChange;
}

/** The names of the settings that a change gives. */
export function changedSettings(change: GivenSettings): readonly (keyof WebhookSettings)[] {
  return SETTING_NAMES.filter((name) => change[name] !== undefined);
}
