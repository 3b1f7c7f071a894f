import type { SendError } from './send-result.ts';

/** What we ourselves put an end to an attempt for, thrown through undici. */
export class SendFault extends Error {
  override readonly name = 'SendFault';
  readonly sendError: SendError;

  constructor(sendError: SendError, options?: ErrorOptions) {
    super(sendError, options);
    this.sendError = sendError;
  }
}
