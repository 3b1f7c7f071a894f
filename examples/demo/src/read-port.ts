export type PortReading =
  | { readonly outcome: 'read'; readonly port: number }
  | { readonly outcome: 'rejected'; readonly reason: string };

/** Parses the variable `PORT`. Default: 3000, also if it is empty, as in an unfilled `.env` file. */
export function readPort(value: string | undefined): PortReading {
  if (!value) return { outcome: 'read', port: 3000 };
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return { outcome: 'read', port };
  const reason = `PORT is ${JSON.stringify(value)}: set it to a number from 0 to 65535, 0 for a free port, or leave it out for 3000.`;
  return { outcome: 'rejected', reason };
}
