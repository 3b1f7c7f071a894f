import type { SendError } from './send-result.ts';

/** Why we ourselves broke off an attempt, thrown through undici. */
export class SendFault extends Error {
  override readonly name = 'SendFault';
  readonly sendError: SendError;

  constructor(sendError: SendError, options?: ErrorOptions) {
    super(sendError, options);
    this.sendError = sendError;
  }
}
