/** `0.0.0.0` and `::` stand for all addresses of the machine. */
const ALL_ADDRESSES: readonly string[] = ['0.0.0.0', '::'];

/** Where an app listens, and where a browser on the same machine finds it. */
export interface AppAddresses {
  readonly listening: string;
  /** Also the default issuer. Browsers keep cookies for `localhost`, but not for `0.0.0.0`. */
  readonly browser: string;
}

export function appAddresses(host: string, port: number): AppAddresses {
  return {
    listening: httpAddress(host, port),
    browser: httpAddress(ALL_ADDRESSES.includes(host) ? 'localhost' : host, port),
  };
}

function httpAddress(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
