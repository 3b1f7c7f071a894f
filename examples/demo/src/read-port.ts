export type PortReading =
  | { readonly outcome: 'read'; readonly port: number }
  | { readonly outcome: 'rejected'; readonly reason: string };

/** Reads `PORT`: 3000 if it is absent, or empty, as an `.env` may leave it. */
export function readPort(given: string | undefined): PortReading {
  if (!given) return { outcome: 'read', port: 3000 };
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= 65_535) return { outcome: 'read', port };
  const reason = `PORT is ${JSON.stringify(given)}: set it to a number from 0 to 65535, 0 for a free port, or leave it out for 3000.`;
  return { outcome: 'rejected', reason };
}
