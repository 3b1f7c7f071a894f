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
 * Returns the result of a look-up.
 *
 * @throws {AuthError} `not_found` if the result is `null`
 */
export function requireFound<Result>(result: Result | null): Result {
  if (result === null) throw notFound();
  return result;
}

/** @throws {AuthError} `not_found` */
export function assertFound(isFound: boolean): void {
  if (!isFound) throw notFound();
}
