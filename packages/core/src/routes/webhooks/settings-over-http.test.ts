import { describe, expect, it } from 'vitest';
import { settingsOfBody, settingsOverHttp } from './settings-over-http.ts';

const settings = { url: 'https://receiver.example/', rateLimit: 7, rateLimitPeriod: 'minute' };

describe('settings of a webhook over HTTP', () => {
  it('are in snake case, without the other fields of the webhook', () => {
    const webhook = { ...settings, sequence: 3 };
    expect(settingsOverHttp(webhook)).toEqual({
      url: 'https://receiver.example/',
      rate_limit: 7,
      rate_limit_period: 'minute',
    });
  });

  it('are read back from a body, without its other fields', () => {
    const body = { event: 'Contact.Added', ...settingsOverHttp(settings) };
    expect(settingsOfBody(body)).toStrictEqual(settings);
  });

  it('are undefined if a body leaves them out', () => {
    expect(settingsOfBody({ rate_limit: 7 })).toStrictEqual({
      url: undefined,
      rateLimit: 7,
      rateLimitPeriod: undefined,
    });
  });
});
