import type { SendError } from './send-result.ts';

/** The reason for which the sender itself aborts an attempt, passed through undici as an error. */
export class SendFault extends Error {
  override readonly name = 'SendFault';
  readonly sendError: SendError;

  constructor(sendError: SendError, options?: ErrorOptions) {
    super(sendError, options);
    this.sendError = sendError;
  }
}
