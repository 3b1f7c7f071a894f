import type { WebhookSettings } from '../../storage/webhook-store.ts';

/** A value for each setting, such as its schema. */
interface OfEachSetting<Url, Limit, Period>
  extends Readonly<Record<keyof WebhookSettings, unknown>> {
  readonly url: Url;
  readonly rateLimit: Limit;
  readonly rateLimitPeriod: Period;
}

/** Renames the value of each setting to the client's names, and leaves out everything else. */
export function settingsOverHttp<Url, Limit, Period>({
  url,
  rateLimit,
  rateLimitPeriod,
}: OfEachSetting<Url, Limit, Period>) {
  return { url, rate_limit: rateLimit, rate_limit_period: rateLimitPeriod };
}

/** Renames the settings of a body to those of `WebhookSettings`; `undefined` for a setting that the body lacks. */
export function settingsOfBody<Url, Limit, Period>(body: {
  readonly url?: Url;
  readonly rate_limit?: Limit;
  readonly rate_limit_period?: Period;
}): OfEachSetting<Url, Limit, Period> {
  const { url, rate_limit: rateLimit, rate_limit_period: rateLimitPeriod } = body;
  // A type has `undefined` exactly if the body may lack the setting.
  return { url, rateLimit, rateLimitPeriod } as OfEachSetting<Url, Limit, Period>;
}
