import type { NamesOf } from '../../assert-names.ts';
import type { WebhookChange, WebhookSettings } from '../../storage/webhook-store.ts';

/**
 * The only list of a webhook's settings, in their order in events. The compiler reports a setting of the store's
 * contract that is missing here.
 */
const NAMES: NamesOf<WebhookSettings> = {
  url: true,
  rateLimit: true,
  rateLimitPeriod: true,
};

const SETTING_NAMES = Object.keys(NAMES) as readonly (keyof WebhookSettings)[];

/** Settings, where `undefined` counts as absent. */
export type SettingsInput = {
  readonly [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined;
};

/** The change for the given settings. */
export function webhookChange(settings: SettingsInput): WebhookChange {
  const entries = changedSettings(settings).map((name) => [name, settings[name]]);
  return Object.fromEntries(entries) as WebhookChange;
}

/** The names of the settings in a change. */
export function changedSettings(change: SettingsInput): readonly (keyof WebhookSettings)[] {
  return SETTING_NAMES.filter((name) => change[name] !== undefined);
}
