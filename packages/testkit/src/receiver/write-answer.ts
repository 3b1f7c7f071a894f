import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { HeldRequests } from './held-requests.ts';
import type { AnswerBody, AnswerPace, ReceiverAnswer } from './receiver-answer.ts';

const CHUNK_BYTES = 65_536;
const chunk = Buffer.alloc(CHUNK_BYTES, 'x');

/** Writes an answer. Resolves when the answer is written, or when it cannot be written any more. */
export async function writeAnswer(
  response: ServerResponse,
  answer: ReceiverAnswer,
  held: HeldRequests,
): Promise<void> {
  const { socket } = response;
  if (socket === null) return;
  if (answer === 'hang') return held.holdUntilClosed(socket);
  if (answer === 'reset') return void socket.resetAndDestroy();
  const fullAnswer = typeof answer === 'number' ? { status: answer } : answer;

  await held.holdFor(fullAnswer.afterMs ?? 0, socket);
  if (socket.destroyed) return;
  if ('raw' in fullAnswer) return writePaced(socket, socket, fullAnswer.raw, fullAnswer, held);
  response.writeHead(fullAnswer.status, { ...fullAnswer.headers });
  response.flushHeaders();
  return writePaced(response, socket, fullAnswer.body ?? '', fullAnswer, held);
}

/** @param to - The response, or the socket itself for raw bytes. */
async function writePaced(
  to: Writable,
  socket: Socket,
  body: AnswerBody,
  { byteEveryMs = 0, ending = 'complete' }: AnswerPace,
  held: HeldRequests,
): Promise<void> {
  for (const part of partsOf(body, byteEveryMs > 0 ? 1 : CHUNK_BYTES)) {
    await held.holdFor(byteEveryMs, socket);
    if (socket.destroyed) return;
    if (!to.write(part)) await drainedOrClosed(to, socket);
  }
  if (ending === 'complete') return void to.end();
  if (ending === 'hang') return held.holdUntilClosed(socket);
  // Node may send bytes of this turn of the event loop later; the sender should get them before the reset.
  setImmediate(() => socket.resetAndDestroy());
}

function* partsOf(body: AnswerBody, partBytes: number): Generator<Uint8Array> {
  if (typeof body === 'object' && 'bytes' in body) {
    for (let remaining = body.bytes; remaining > 0; remaining -= partBytes) {
      yield chunk.subarray(0, Math.min(remaining, partBytes));
    }
    return;
  }
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes);
}

function drainedOrClosed(to: Writable, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      to.off('drain', settle);
      socket.off('close', settle);
      resolve();
    };
    to.once('drain', settle);
    socket.once('close', settle);
  });
}
