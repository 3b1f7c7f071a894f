import { availableServers } from '../servers.mjs';
import { startServer } from './bench-server.mjs';

/** One process, or a publisher, which makes what the worker needs, and then the worker. */
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

/** Waits until the receiver has had so many. */
export async function untilArrived(sink, count) {
  await (await fetch(`${sink.url}/until?count=${count}`)).text();
}
