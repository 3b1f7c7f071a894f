/** An IPv4 address in IPv6 clothes (`::ffff:192.0.2.1`), as a socket that listens for both shows it, is itself. */
export function unmappedAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
