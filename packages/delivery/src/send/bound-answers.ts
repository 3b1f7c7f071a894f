import type { Socket } from 'node:net';
import type { Tab } from './receiver-budget.ts';
import { SendFault } from './send-fault.ts';
import { isInvalidAnswer } from './to-send-error.ts';

/**
 * What an answer may bring in all, framing and interim answers included. Far more than its content may: that is counted
 * once it is parsed, and an answer that is too long counts by its status.
 */
const MAX_WIRE_BYTES = 262_144;
/** What is not charged of an answer that is none. */
const FREE_BYTES = 16_384;

/**
 * Cuts off a receiver that sends without end what undici's parser does not bound: interim answers, blank lines, a
 * reason phrase, chunk extensions. None of it is content, so the limit of content does not end it. Charges for what is
 * no answer: beyond its limit of headers, undici makes an error for each small header that it has read already.
 *
 * @param socket - what undici reads answers from
 */
export function boundAnswers(socket: Socket, tab: Tab): void {
  let [writtenBytes, readBytes, readBefore] = [0, 0, 0];
  socket
    .on('readable', () => {
      // A request is written at once, so this is the answer to another one.
      if (socket.bytesWritten !== writtenBytes) readBefore = readBytes;
      writtenBytes = socket.bytesWritten;
      readBytes = socket.bytesRead;
      if (readBytes - readBefore > MAX_WIRE_BYTES) socket.destroy(new SendFault('invalid_answer'));
    })
    .once('close', () => {
      const bytes = readBytes - readBefore - FREE_BYTES;
      if (bytes > 0 && isInvalidAnswer(socket.errored)) tab.charge(bytes, 'invalid_answer');
    });
}
