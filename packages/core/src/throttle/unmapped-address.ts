/** Turns an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`), as a dual-stack socket shows it, into the IPv4 address. */
export function unmappedAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
