import type { buildConnector } from 'undici';
import type { Connector } from './connector.ts';
import { SendFault } from './send-fault.ts';

/** More than an answer needs, framing and all, of which 16 KiB of headers and 64 KiB of content are read. */
const MAX_WIRE_BYTES = 262_144;

/** A connector whose sockets bring so much for an answer, and no more. */
export interface MeteredConnector {
  readonly connect: buildConnector.connector;
  /** The next answer is to come: what was brought before is not counted against it. */
  restart(): void;
  /** How long connecting took since the last `restart`, ms; 0: there was none. */
  connectingMs(): number;
  /** Ends the connecting for good, and what has come of it. */
  giveUp(): void;
}

/**
 * Cuts off a receiver that sends what the parser sets no bounds to: interim answers, blank lines, a reason
 * phrase, chunk extensions. None of it is content, so no limit of content ends it, and until time is up the
 * app would read gigabytes that it has no use for.
 */
export function meteredConnector(connect: Connector): MeteredConnector {
  const wanted = new AbortController();
  let bytesRead = (): number => 0;
  let bytesBefore = 0;
  let connectingMs = 0;

  return {
    connect(target, callback) {
      const begunAtMs = performance.now();
      const end: buildConnector.Callback = (...connected) => {
        connectingMs = performance.now() - begunAtMs;
        const [error, socket] = connected;
        if (error === null) {
          bytesBefore = 0;
          bytesRead = () => socket.bytesRead;
          // Before undici's own, which parses what there is.
          socket.on('readable', () => {
            if (socket.bytesRead - bytesBefore > MAX_WIRE_BYTES) {
              socket.destroy(new SendFault('invalid_answer'));
            }
          });
        }
        callback(...connected);
      };
      connect(target, end, wanted.signal);
    },
    restart() {
      bytesBefore = bytesRead();
      connectingMs = 0;
    },
    connectingMs: () => connectingMs,
    giveUp: () => wanted.abort(),
  };
}
