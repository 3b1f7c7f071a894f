/** The port of an http or https URL: its parser leaves out the one that is the default of the scheme. */
export function portOf({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
