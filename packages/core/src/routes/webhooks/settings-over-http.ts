import type { WebhookSettings } from '../../storage/webhook-store.ts';

/** Something for each setting: its value, or its schema. */
interface OfEachSetting<Url, Limit, Period>
  extends Readonly<Record<keyof WebhookSettings, unknown>> {
  readonly url: Url;
  readonly rateLimit: Limit;
  readonly rateLimitPeriod: Period;
}

/** Renames the settings to the client's names, and leaves out everything else. */
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
  // The cast is sound: `Url`, `Limit` and `Period` include `undefined` exactly if the body may lack the field.
  return { url, rateLimit, rateLimitPeriod } as OfEachSetting<Url, Limit, Period>;
}
