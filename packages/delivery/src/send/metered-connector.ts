import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { Connector } from './connector.ts';
import { SendFault } from './send-fault.ts';

/**
 * What an answer may bring besides its content: status line and headers, as many as Node reads by default, and some framing.
 * The parser counts no separators, so that it would take four times as many headers of one letter.
 */
const MAX_OVERHEAD_BYTES = 20_480;
/** For each byte of content there may be so much framing besides: chunks of one byte have five or six. */
const FRAMING_PER_BYTE = 8;
/** In any case. */
const MAX_WIRE_BYTES = 262_144;

/**
 * What is parsed at a time. The parser goes on to the end of what it was given, be the answer cut off by then: it took 40
 * to 360 ms for 64 KiB of small headers.
 */
const SLICE_BYTES = 4_096;

/** A connector whose sockets bring so much for an answer, and no more. */
export interface MeteredConnector {
  readonly connect: buildConnector.connector;
  /**
   * The next answer is to come: what was brought before is not counted against it.
   *
   * @param contentBytes - tells how much content of it has been read. That has a limit of its own.
   */
  restart(contentBytes: () => number): void;
  /** How long connecting took since the last `restart`, ms; 0: there was none. */
  connectingMs(): number;
  /** Ends the connecting for good, and what has come of it. */
  giveUp(): void;
}

/**
 * Cuts off a receiver that sends what the parser sets no bounds to, or bounds that come too late: interim answers, blank
 * lines, a reason phrase, small headers and trailers, chunk extensions. None of it is content, so no limit of content ends
 * it. Until time is up the app would read gigabytes that it has no use for, and do nothing else.
 */
export function meteredConnector(connect: Connector): MeteredConnector {
  const wanted = new AbortController();
  let parsedBytes = 0;
  let contentBytes = (): number => 0;
  let connectingMs = 0;

  /** Has a socket handed over in slices, and cut off once there was too much besides the content. */
  function meter(socket: Socket): void {
    const read = socket.read.bind(socket);
    const isTooMuch = (): boolean => {
      // The usual case, thousands of times a second.
      if (parsedBytes <= MAX_OVERHEAD_BYTES) return false;
      const content = contentBytes();
      const overhead = parsedBytes - content;
      return (
        overhead > MAX_OVERHEAD_BYTES + content * FRAMING_PER_BYTE || parsedBytes > MAX_WIRE_BYTES
      );
    };
    socket.read = (size) => {
      // Node's own way to have more fetched.
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
        if (error === null) meter(socket);
        callback(...connected);
      };
      connect(target, end, wanted.signal);
    },
    restart(ofNext) {
      parsedBytes = 0;
      contentBytes = ofNext;
      connectingMs = 0;
    },
    connectingMs: () => connectingMs,
    giveUp: () => wanted.abort(),
  };
}
