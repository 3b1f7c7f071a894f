import type { WebhookSettings } from '../../storage/webhook-store.ts';
import { SETTING_NAMES } from '../../webhooks/registry/webhook-settings.ts';

type SettingName = keyof WebhookSettings;

const HTTP_NAMES = {
  url: 'url',
  rateLimit: 'rate_limit',
  rateLimitPeriod: 'rate_limit_period',
} as const satisfies Readonly<Record<SettingName, string>>;

type HttpName<Name extends SettingName = SettingName> = (typeof HTTP_NAMES)[Name];

/** A value for each setting, such as its schema, by the names that clients use. */
export type SettingsOverHttp<OfEach extends Readonly<Record<SettingName, unknown>>> = {
  readonly [Name in SettingName as HttpName<Name>]: OfEach[Name];
};

/** The value of each setting in a body. */
export type SettingsOfBody<Body extends Readonly<Partial<Record<HttpName, unknown>>>> = {
  readonly [Name in SettingName]: Body[HttpName<Name>];
};

/** Renames the value of each setting to the client's names, and leaves out everything else. */
export function settingsOverHttp<OfEach extends Readonly<Record<SettingName, unknown>>>(
  ofEach: OfEach,
): SettingsOverHttp<OfEach> {
  const renamed = SETTING_NAMES.map((name) => [HTTP_NAMES[name], ofEach[name]]);
  return Object.fromEntries(renamed) as SettingsOverHttp<OfEach>;
}

/** Renames the settings of a body to those of `WebhookSettings`; `undefined` for a setting that the body lacks. */
export function settingsOfBody<Body extends Readonly<Partial<Record<HttpName, unknown>>>>(
  body: Body,
): SettingsOfBody<Body> {
  const renamed = SETTING_NAMES.map((name) => [name, body[HTTP_NAMES[name]]]);
  return Object.fromEntries(renamed) as SettingsOfBody<Body>;
}
