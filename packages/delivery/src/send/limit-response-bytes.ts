import type { Socket } from 'node:net';
import type { ConnectionCharges } from './receiver-budget.ts';
import { SendFault } from './send-fault.ts';
import { isInvalidAnswer } from './to-send-error.ts';

/**
 * How many bytes a response may have in all, with framing and interim responses. Far above the limit of the content, so
 * that a response with too much content reaches that limit first: then its status still counts.
 */
const MAX_WIRE_BYTES = 262_144;
/** How many bytes of an invalid response are not charged. */
const FREE_BYTES = 16_384;

/**
 * Disconnects a receiver that endlessly sends what undici's parser does not limit: interim responses, blank lines, a
 * reason phrase, chunk extensions. None of these is content, so the limit on content does not apply.
 *
 * Charges the bytes of an invalid response to the receiver's budget because they cost CPU time: once the headers exceed
 * its limit, undici creates an error for each small header that it has already read.
 *
 * @param socket - the socket from which undici reads responses
 */
export function limitResponseBytes(socket: Socket, charges: ConnectionCharges): void {
  let [writtenBytes, readBytes, readBefore] = [0, 0, 0];
  socket
    .on('readable', () => {
      // A request is written in one call, so new written bytes mean that the next response begins here.
      if (socket.bytesWritten !== writtenBytes) readBefore = readBytes;
      writtenBytes = socket.bytesWritten;
      readBytes = socket.bytesRead;
      if (readBytes - readBefore > MAX_WIRE_BYTES) socket.destroy(new SendFault('invalid_answer'));
    })
    .once('close', () => {
      const bytes = readBytes - readBefore - FREE_BYTES;
      if (bytes > 0 && isInvalidAnswer(socket.errored)) charges.add(bytes, 'invalid_answer');
    });
}
