import { Buffer } from 'node:buffer';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';

/**
 * What is longer takes the way through the streams, where whoever reads can ask for less of it. Up to this, Node cuts a
 * buffer from its pool, unless the host has set another size: `Buffer.poolSize` is the host's to set, this is not.
 */
export const MAX_SHORT_BYTES = 4_096;

/** Where whatever arrives over TCP is first written to, before its own buffer is made. */
const arrivals = Buffer.allocUnsafeSlow(65_536);

/** Connects over TCP. Without a buffer of ours, Node would make one of 64 KiB for each read, and shrink it. */
export function connectTcp(options: TcpNetConnectOpts): Socket {
  const callback = (byteCount: number): boolean =>
    socket.push(Buffer.from(arrivals.subarray(0, byteCount)));
  const socket: Socket = connect({ ...options, onread: { buffer: arrivals, callback } });
  return socket;
}

/**
 * Has short answers and short requests bypass the streams of Node, which take longer over them than the system takes to
 * send and to receive them (ADR 52). In all else the socket stays the stream that it was: what nobody reads at once, or
 * what is long, is buffered, in order.
 */
export function bypassStreams(socket: Socket): void {
  readAtOnce(socket);
  writeInOnePiece(socket);
}

function readAtOnce(socket: Socket): void {
  const push = socket.push.bind(socket);
  const read = socket.read.bind(socket);
  let offered: Buffer | null = null;

  socket.push = (chunk: Buffer | null) => {
    const isShort = chunk !== null && chunk.length <= MAX_SHORT_BYTES;
    if (!isShort || socket.readableLength > 0) return push(chunk);
    offered = chunk;
    socket.emit('readable');
    if (offered === null) return true;
    offered = null;
    return push(chunk);
  };
  socket.read = (size) => {
    if (offered === null || size !== undefined) return read(size);
    const taken = offered;
    offered = null;
    return taken;
  };
}

interface Piece {
  readonly chunk: Buffer | string;
  readonly encoding: BufferEncoding;
}

/** Of several pieces, such as the head and the body of a request, Node makes a list for the system. */
function writeInOnePiece(socket: Socket): void {
  const writePieces = socket._writev?.bind(socket);
  if (writePieces === undefined) return;
  socket._writev = (pieces: Piece[], callback) => {
    const whole = joinShort(pieces);
    if (whole === null) writePieces(pieces, callback);
    // As streams say it of buffers, though it is no encoding.
    else socket._write(whole, 'buffer' as BufferEncoding, callback);
  };
}

function joinShort(pieces: readonly Piece[]): Buffer | null {
  let byteCount = 0;
  for (const { chunk, encoding } of pieces) byteCount += Buffer.byteLength(chunk, encoding);
  if (byteCount > MAX_SHORT_BYTES) return null;
  const whole = Buffer.allocUnsafe(byteCount);
  let at = 0;
  for (const { chunk, encoding } of pieces) {
    if (typeof chunk === 'string') at += whole.write(chunk, at, encoding);
    else {
      whole.set(chunk, at);
      at += chunk.length;
    }
  }
  // Text in base64 may turn out shorter, and what is behind it is of others.
  return at === byteCount ? whole : whole.subarray(0, at);
}
