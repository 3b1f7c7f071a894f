import { AuthError, malformedFields, notFound } from '../../errors.ts';
import type {
  ChangeWebhookOutcome,
  NewWebhookOutcome,
} from '../../webhooks/registry/webhook-outcomes.ts';

/*
 * The errors of the webhook endpoints if the account has no such webhook, or may not have one with such settings.
 */

type Rejected = Exclude<
  NewWebhookOutcome | ChangeWebhookOutcome,
  { readonly outcome: 'created' | 'changed' }
>;

/** The rejection of a request to create or change a webhook. */
export function rejectionOf(rejected: Rejected): AuthError {
  switch (rejected.outcome) {
    case 'unknown':
      return notFound();
    case 'limit_reached':
      return new AuthError('limit_reached', 'The account has as many webhooks as it may have.');
    case 'rejected':
      return malformedFields(rejected.fields);
  }
}

/**
 * Returns a webhook or a delivery that was found.
 *
 * @throws {AuthError} `not_found` where it is `null`
 */
export function foundOrRejected<Found>(found: Found | null): Found {
  if (found === null) throw notFound();
  return found;
}

/** @throws {AuthError} `not_found` */
export function assertKnown(isKnown: boolean): void {
  if (!isKnown) throw notFound();
}
