import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';

/** Types of records, as they are on the wire. */
export const A = 1;
export const AAAA = 28;
const CNAME = 5;

export const SERVER_FAILURE = 2;
export const NO_SUCH_NAME = 3;

/** Addresses, another name that they are found under, or a code of failure. */
export type Answer =
  | readonly Buffer[]
  | { readonly alias: string; readonly addresses: readonly Buffer[] }
  | number;

/** What is asked; `nth` is 1 at the first time that this name is asked for with this type. */
export interface Question {
  readonly name: string;
  readonly type: number;
  readonly nth: number;
}

export interface NameServer {
  /** Asks this server and no other. */
  readonly resolver: dns.Resolver;
  /** How often it was asked. */
  asked(): number;
  close(): void;
}

/** A name server on this machine that answers as it is told. */
export async function startNameServer(answer: (question: Question) => Answer): Promise<NameServer> {
  const counts = new Map<string, number>();
  let asked = 0;
  const server = createSocket('udp4', (query, { port }) => {
    const { name, type, question } = readQuestion(query);
    const nth = (counts.get(`${type} ${name}`) ?? 0) + 1;
    counts.set(`${type} ${name}`, nth);
    asked += 1;
    server.send(writeAnswer(query, question, type, answer({ name, type, nth })), port);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  return { resolver: resolverAt(port), asked: () => asked, close: () => void server.close() };
}

/** Asks whatever listens at this port. */
export function resolverAt(port: number): dns.Resolver {
  const resolver = new dns.Resolver({ timeout: 60_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return resolver;
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  return { name: labels.join('.').toLowerCase(), type, question: query.subarray(12, at + 5) };
}

function writeAnswer(query: Buffer, question: Buffer, type: number, answer: Answer): Buffer {
  const records = typeof answer === 'number' ? [] : recordsOf(type, answer);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (typeof answer === 'number' ? answer : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

function recordsOf(type: number, answer: Exclude<Answer, number>): Buffer[] {
  // The name of the question, which is always at this place.
  const asked = Buffer.from([0xc0, 0x0c]);
  if (!('alias' in answer)) return answer.map((address) => record(asked, type, address));
  const alias = encodeName(answer.alias);
  return [
    record(asked, CNAME, alias),
    ...answer.addresses.map((address) => record(alias, type, address)),
  ];
}

function record(name: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}
