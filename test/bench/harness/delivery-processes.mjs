import { availableServers } from '../servers.mjs';
import { startServer } from './bench-server.mjs';

/**
 * Starts the one process of a sender, or else its publisher and then its worker: the worker needs the tables or queues
 * that the publisher creates.
 */
export async function startSender(name, environment) {
  const processes = [];
  for (const definition of availableServers([name, `${name} publisher`, `${name} worker`])) {
    if (definition.command === undefined) continue;
    const side = definition.name.endsWith('publisher') ? 'client' : 'server';
    processes.push(await startServer(definition, environment, side));
  }
  return processes;
}

/** How many deliveries the receiver has had so far. */
export async function arrivedAt(sink) {
  return Number(await (await fetch(sink.url)).text());
}

/** Tells a publisher to publish; resolves to when it began, in ms since 1970. */
export async function publishBy(publisher, { count, webhooks }) {
  const answer = await fetch(`${publisher.url}/go?n=${count}&webhooks=${webhooks}`);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()).startedAtMs;
}

/** Waits until `count` deliveries have arrived since the receiver's start. */
export async function untilArrived(sink, count) {
  await (await fetch(`${sink.url}/until?count=${count}`)).text();
}
