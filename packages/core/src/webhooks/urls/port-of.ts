/** The port of an http or https URL. The parser drops the default port of the scheme, which is added here. */
export function portOf({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
