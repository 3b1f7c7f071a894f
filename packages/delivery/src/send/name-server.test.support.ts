import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';

/** The numbers of record types on the wire. */
export const A = 1;
export const AAAA = 28;
const CNAME = 5;

export const SERVER_FAILURE = 2;
export const NO_SUCH_NAME = 3;

/** Addresses, an alias with its addresses, or an error code. */
export type Answer =
  | readonly Buffer[]
  | { readonly alias: string; readonly addresses: readonly Buffer[] }
  | number;

/** A query. `nth` counts the queries for the same name and type, from 1. */
export interface Question {
  readonly name: string;
  readonly type: number;
  readonly nth: number;
}

export interface NameServer {
  /** Queries this server only. */
  readonly resolver: dns.Resolver;
  /** The number of queries. */
  queries(): number;
  close(): void;
}

/** Starts a name server on this machine. `answer` decides the response to each query. */
export async function startNameServer(answer: (question: Question) => Answer): Promise<NameServer> {
  const counts = new Map<string, number>();
  let queries = 0;
  const server = createSocket('udp4', (query, { port }) => {
    const { name, type, question } = readQuestion(query);
    const nth = (counts.get(`${type} ${name}`) ?? 0) + 1;
    counts.set(`${type} ${name}`, nth);
    queries += 1;
    server.send(writeAnswer(query, question, type, answer({ name, type, nth })), port);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  return { resolver: resolverAt(port), queries: () => queries, close: () => void server.close() };
}

/** Creates a resolver that queries the server at this port. */
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
  // A pointer to the name in the question, which is always at this offset.
  const questionName = Buffer.from([0xc0, 0x0c]);
  if (!('alias' in answer)) return answer.map((address) => record(questionName, type, address));
  const alias = encodeName(answer.alias);
  return [
    record(questionName, CNAME, alias),
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
