import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { buildConnector } from 'undici';
import type { Answer } from './connection.ts';
import type { Connector } from './connector.ts';
import { SendFault } from './send-fault.ts';
import { bypassStreams, MAX_SHORT_BYTES } from './stream-bypass.ts';

/**
 * What an answer may bring besides its content: a status line, as many headers as Node reads by default, and some
 * framing. The parser's own limit does not count separators: of headers of one letter it would take four times as many.
 */
const MAX_OVERHEAD_BYTES = 20_480;
/** How many bytes of framing each byte of content may bring besides: chunks of one byte have five or six. */
const FRAMING_PER_BYTE = 8;
/** What an answer may bring in all. */
const MAX_WIRE_BYTES = 262_144;

/**
 * How much is parsed at a time. The parser goes on to the end of what it was given even if the answer is cut off by
 * then: 64 KiB of small headers took it 40 to 360 ms. What bypasses the streams is read whole.
 */
const SLICE_BYTES = MAX_SHORT_BYTES;

/** A connector whose sockets are cut off where an answer brings too much. */
export interface MeteredConnector {
  readonly connect: buildConnector.connector;
  /**
   * Restarts the count, for the next answer.
   *
   * @param accountId - whose webhook is sent to. If a new connection is needed for that, it is made for this account.
   * @param answer - its content has a limit of its own
   */
  restart(accountId: number, answer: Answer): void;
  /** The answer has ended: lets go of it, and of its count. */
  forgetAnswer(): void;
  /** How long connecting took since the last `restart`, ms; 0: there was none. */
  connectingMs(): number;
  /** Gives up connecting for good. */
  giveUp(): void;
}

/**
 * Cuts off a receiver that sends without end what the parser does not bound, or bounds too late: interim answers, blank
 * lines, a reason phrase, small headers and trailers, chunk extensions. None of it is content, so the limit of content
 * does not end it. Until the timeout the app would read gigabytes for nothing, and do nothing else.
 */
export function meteredConnector(connect: Connector): MeteredConnector {
  const wanted = new AbortController();
  let parsedBytes = 0;
  let answer: Answer | undefined;
  let connectingMs = 0;
  let accountId = 0;

  /** Has a socket read in slices, and cuts it off once there was too much besides the content. */
  function meter(socket: Socket): void {
    const read = socket.read.bind(socket);
    const isTooMuch = (): boolean => {
      // The usual case, thousands of times a second.
      if (parsedBytes <= MAX_OVERHEAD_BYTES) return false;
      const content = answer?.contentBytes ?? 0;
      const overhead = parsedBytes - content;
      return (
        overhead > MAX_OVERHEAD_BYTES + content * FRAMING_PER_BYTE || parsedBytes > MAX_WIRE_BYTES
      );
    };
    socket.read = (size) => {
      // This is how Node asks for more to be fetched.
      if (size === 0) return read(0);
      if (socket.destroyed) return null;
      if (isTooMuch()) {
        socket.destroy(new SendFault('invalid_answer'));
        return null;
      }
      const slice: Buffer | null = socket.readableLength > SLICE_BYTES ? read(SLICE_BYTES) : read();
      parsedBytes += slice?.length ?? 0;
      return slice;
    };
  }

  return {
    connect(target, callback) {
      const begunAtMs = performance.now();
      const end: buildConnector.Callback = (...connected) => {
        connectingMs = performance.now() - begunAtMs;
        const [error, socket] = connected;
        if (error === null) {
          bypassStreams(socket);
          meter(socket);
        }
        callback(...connected);
      };
      connect(target, end, { accountId, signal: wanted.signal });
    },
    restart(account, next) {
      accountId = account;
      parsedBytes = 0;
      answer = next;
      connectingMs = 0;
    },
    forgetAnswer() {
      answer = undefined;
      parsedBytes = 0;
    },
    connectingMs: () => connectingMs,
    giveUp: () => wanted.abort(),
  };
}
